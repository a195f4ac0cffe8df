"""Programs that run in the examined interpreter, and the picture that they decode."""
