"""What runs for every item."""
