"""Nodes that stand out among their peers, and nodes that did not report."""
