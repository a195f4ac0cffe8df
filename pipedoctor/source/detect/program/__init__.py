"""What a whole file or project does."""
