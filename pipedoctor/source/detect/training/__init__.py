"""What becomes of a batch between its loader and the next step."""
