"""Samples counted: hot lines, called functions, times of items and batches, trends."""
