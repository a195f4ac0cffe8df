"""Measuring: windows of time whose disturbances are known, and what fits in them."""
