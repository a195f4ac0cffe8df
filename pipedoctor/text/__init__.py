"""Texts that people paste in tickets -> facts: collect_env and its descendants."""

from pipedoctor.text.ticket import (
    NOT_IN_TEXT,
    NoEnvironmentError,
    PastedEnvironment,
    read_environment,
)

__all__ = ["NOT_IN_TEXT", "NoEnvironmentError", "PastedEnvironment", "read_environment"]
