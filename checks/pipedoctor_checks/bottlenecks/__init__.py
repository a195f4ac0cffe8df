"""Where a measured pipeline loses its time."""
