"""What is asked of an agent and how it is scored: data only, no browser."""
