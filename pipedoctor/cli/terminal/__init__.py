"""What is written to a terminal, and a command that is run in one."""
