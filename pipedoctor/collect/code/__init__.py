"""Training code: read and remembered, never run."""
