"""Python stacks of other processes, read from their memory without stopping them."""
