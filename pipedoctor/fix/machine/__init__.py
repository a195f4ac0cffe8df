"""Change a machine: apply its remedies, and measure what they gain."""
