"""Causes that an error log names."""
