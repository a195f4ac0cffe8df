"""GPUs and other accelerators."""
