"""A tuning as text, JSON and HTML."""
