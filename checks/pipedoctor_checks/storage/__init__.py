"""Disks, mounts and caches."""
