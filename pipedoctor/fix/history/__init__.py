"""Fixes of the past: list them, and take one back."""
