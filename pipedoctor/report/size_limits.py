"""What a page or a ticket shows of a report that is larger than anybody reads."""

from pipedoctor.units import format_size

MAX_SHOWN_CHARS = 20_000
"""Characters of one value that a page shows."""
MAX_RECORD_BYTES = 4 << 20
"""Bytes of facts that a page or a ticket carries as they are."""


def cut_text(text: str, longest: int = MAX_SHOWN_CHARS) -> str:
    """The start of a text that nobody would read to its end, and how much is left out."""
    left = len(text) - longest
    return f"{text[:longest]}... ({left} more characters are left out)" if left > 0 else text


def describe_left_out(size: int) -> str:
    """That the facts of a report are too large for this format; empty: they are not."""
    if size <= MAX_RECORD_BYTES:
        return ""
    return f"The facts ({format_size(size)}) are left out here; `--format json` writes them."
