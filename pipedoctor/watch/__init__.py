"""A running job seen from outside: its processes, their stacks, the kernel's side."""
