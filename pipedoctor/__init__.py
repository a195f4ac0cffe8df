"""Diagnose PyTorch data-loading pipelines and the machine under them."""

__version__ = "0.1.0"
