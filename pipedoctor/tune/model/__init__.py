"""Simulate a DataLoader and predict the throughput of a setting."""
