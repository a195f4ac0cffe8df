"""Probe a target, then find the best setting within a time budget."""
