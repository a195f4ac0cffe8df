"""From what stands in a log to the cause, to this machine, to the remedy."""
