"""What grows in a running job, and what has stopped."""
