"""Detectors: each turns one kind of code into events."""
