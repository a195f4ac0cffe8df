"""Limits of the kernel and of the process."""
