"""Which files are training code, and which of them belong together."""
