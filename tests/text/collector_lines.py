"""Facts from lines of a collector."""

from pipedoctor.facts import (
    Facts,
)
from pipedoctor.text import read_environment

BEGIN = "PyTorch version: 2.4.0\nIs debug build: False\n"


def read_lines(*lines: str, begin: str = BEGIN) -> Facts:
    return read_environment((begin + "\n".join(lines) + "\n").encode()).facts
