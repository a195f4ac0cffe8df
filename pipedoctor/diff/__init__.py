"""What differs between machines, the likeliest culprit first."""
