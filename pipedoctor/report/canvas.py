"""What is written for a terminal: prose that wraps, and lines that never do."""

import io

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

NARROWEST, WIDEST = 60, 200
STYLES = {
    "breaks": "bold red",
    "risks": "bold yellow",
    "slows": "bold cyan",
    "note": "bold",
}
"""Of severities."""


class Canvas:
    """Collects text as wide as a terminal, within reason; nothing in it is obeyed."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self._file = io.StringIO()
        self._console = Console(
            file=self._file,
            width=min(max(width, NARROWEST), WIDEST),
            force_terminal=colour,
            color_system="standard" if colour else None,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def text(self) -> str:
        """Everything so far, without blanks at the ends of lines."""
        lines = self._file.getvalue().split("\n")
        return "\n".join(line.rstrip() for line in lines)

    def gap(self) -> None:
        """An empty line."""
        self._console.print()

    def put(self, what: RenderableType, *, indent: int = 0) -> None:
        """A table, or text that wraps."""
        self._console.print(Padding(what, (0, 0, 0, indent)))

    def line(self, text: str | Text, *, indent: int = 0, style: str = "") -> None:
        """Prose: wrapped at the width, later lines under the first."""
        whole = Text(text, style=style) if isinstance(text, str) else text
        self.put(whole, indent=indent)

    def verbatim(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """A line to paste: never broken, however long."""
        self._console.print(Text(" " * indent + text, style=style), soft_wrap=True)
