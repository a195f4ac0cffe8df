"""Training code as text: read, never imported, never run."""
