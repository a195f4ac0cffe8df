"""Shared libraries, as the dynamic linker finds them."""
