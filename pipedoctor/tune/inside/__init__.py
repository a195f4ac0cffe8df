"""What runs in the process that has the user's code: only the standard library and torch."""
