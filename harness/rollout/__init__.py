"""Tasks times policy to groups of complete trajectories."""
