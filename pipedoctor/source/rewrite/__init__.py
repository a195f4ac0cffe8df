"""The exact source text that an edit would replace."""
