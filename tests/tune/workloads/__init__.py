"""Loaders with one injected cause each, and the answer that is right for them."""
