"""Random numbers and shuffling."""
