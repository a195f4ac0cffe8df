"""Run a command as it is, and keep the end of what it said."""
