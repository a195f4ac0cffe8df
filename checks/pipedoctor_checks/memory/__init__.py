"""Memory of the machine and of the control group."""
