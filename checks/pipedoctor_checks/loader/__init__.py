"""Arguments of the DataLoader."""
