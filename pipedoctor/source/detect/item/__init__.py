"""What runs for each item, in a worker or before the step."""
