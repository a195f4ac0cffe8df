"""Plans for /dev/shm and file descriptors, what makes them persist, and their proof."""
