"""Redaction: names, paths and secrets are replaced before facts are judged."""
