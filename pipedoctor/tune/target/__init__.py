"""What runs in the processes that have the user's code."""
