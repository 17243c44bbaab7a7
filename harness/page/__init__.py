"""One page: what it holds (snapshots) and how it is touched (actions)."""
