"""Syntax trees, scopes and positions in source text."""
