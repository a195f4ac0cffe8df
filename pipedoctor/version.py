"""The version of pipedoctor."""

__version__ = "0.1.0"
