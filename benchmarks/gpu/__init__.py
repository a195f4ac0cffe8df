"""
Every statement about GPUs, seen on a real one by one command: ``sh dev.sh gpu``.

Offline, with nothing but the standard library: a virtual environment over the packages
of the machine gets the wheels that lie in ``wheels/``; each part then runs as a process
of its own, with a limit that ends it, and writes what it finds as it finds it.
"""
