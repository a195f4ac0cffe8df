"""Which findings in code count here: not the known, the ignored or the unchanged."""
