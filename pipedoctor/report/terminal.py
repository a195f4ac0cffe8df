"""What is written for a terminal: prose that wraps, and lines that never do."""

import io

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

MIN_WIDTH, MAX_WIDTH = 60, 200
SEVERITY_STYLES = {
    "breaks": "bold red",
    "risks": "bold yellow",
    "slows": "bold cyan",
    "note": "bold",
}
"""Of severities."""


class TerminalWriter:
    """
    Collects text as wide as a terminal, within bounds.

    Control characters in it are escaped.
    """

    def __init__(self, width: int, *, color: bool) -> None:
        self._file = io.StringIO()
        self.width = min(max(width, MIN_WIDTH), MAX_WIDTH)
        self._console = Console(
            file=self._file,
            width=self.width,
            force_terminal=color,
            color_system="standard" if color else None,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def to_text(self) -> str:
        """Everything so far, without blanks at the ends of lines."""
        lines = self._file.getvalue().split("\n")
        return "\n".join(line.rstrip() for line in lines)

    def write_blank(self) -> None:
        """An empty line."""
        self._console.print()

    def write_block(self, renderable: RenderableType, *, indent: int = 0) -> None:
        """A table, or text that wraps."""
        self._console.print(Padding(renderable, (0, 0, 0, indent)))

    def write_paragraph(self, text: str | Text, *, indent: int = 0, style: str = "") -> None:
        """Prose: wrapped at the width, later lines under the first."""
        whole = Text(text, style=style) if isinstance(text, str) else text
        self.write_block(whole, indent=indent)

    def write_verbatim(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """A line to paste: never broken, however long."""
        self._console.print(Text(" " * indent + text, style=style), soft_wrap=True)
