"""What worker processes do and keep."""
