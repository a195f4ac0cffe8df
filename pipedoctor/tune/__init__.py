"""Find DataLoader arguments: probe, predict every setting, measure the best few."""

DEFAULT_BUDGET = 30
"""Seconds for measuring a loader where nobody asks for more or less."""
