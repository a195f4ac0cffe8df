"""One process of a job: its samples, system calls and helper threads."""
