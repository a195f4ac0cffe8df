"""The one line on stderr that is written over again and again."""

import sys

LINE_WIDTH = 78


def replace_line(text: str) -> None:
    """Put this in place of the line that is there."""
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()


def shorten_line(text: str, width: int = LINE_WIDTH) -> str:
    """Cut the line to the width."""
    return text if len(text) <= width else f"{text[: width - 3]}..."
