"""CPUs and threads."""
