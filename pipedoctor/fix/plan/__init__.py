"""A plan as data, and the values that it changes."""
