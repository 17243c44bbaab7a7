"""A real-browser harness for training web agents: everything between a task and a reward."""

__version__ = "0.1.0"
