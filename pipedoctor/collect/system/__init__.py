"""The machine and its limits: processors, memory, /dev/shm, control groups, users, ports."""
