"""From a page to what the policy reads: relevance, compression, observations."""
