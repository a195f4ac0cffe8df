"""Shared libraries and binary compatibility."""
