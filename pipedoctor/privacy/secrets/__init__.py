"""Secrets: by their form, by the name beside them, or by how they look."""
