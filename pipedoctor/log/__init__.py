"""From an error log to facts: what stands in it, in constant memory."""
