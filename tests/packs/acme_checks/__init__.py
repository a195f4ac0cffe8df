"""Checks for the clusters of Acme."""
