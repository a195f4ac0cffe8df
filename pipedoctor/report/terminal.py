"""What is written for a terminal: prose that wraps, and lines that never do."""

import functools
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipedoctor.report.plain_wrap import is_plain, wrap_plain

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

MIN_WIDTH, MAX_WIDTH = 60, 200
SEVERITY_STYLES = {
    "breaks": "bold red",
    "risks": "bold yellow",
    "slows": "bold cyan",
    "note": "bold",
}
"""Of severities."""
StyledText = tuple[str, str]
"""A text, and its style."""


class TerminalWriter:
    """
    Collects text as wide as a terminal, within bounds.

    Control characters in it are escaped. Without colors most of it needs no rich.
    """

    def __init__(self, width: int, *, color: bool) -> None:
        self._file = io.StringIO()
        self._color = color
        self.width = min(max(width, MIN_WIDTH), MAX_WIDTH)

    @functools.cached_property
    def _console(self) -> "Console":
        from rich.console import Console  # noqa: PLC0415  (plain text needs none)

        return Console(
            file=self._file,
            width=self.width,
            force_terminal=self._color,
            color_system="standard" if self._color else None,
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
        self._file.write("\n")

    def write_block(self, renderable: "RenderableType", *, indent: int = 0) -> None:
        """A table, or text that wraps."""
        from rich.padding import Padding  # noqa: PLC0415  (see above)

        self._console.print(Padding(renderable, (0, 0, 0, indent)))

    def write_paragraph(self, text: "str | Text", *, indent: int = 0, style: str = "") -> None:
        """Prose: wrapped at the width, later lines under the first."""
        if not isinstance(text, str):
            self.write_block(text, indent=indent)
        elif not self._write_plain(text, " " * indent, " " * indent):
            from rich.text import Text  # noqa: PLC0415  (see above)

            self.write_block(Text(text, style=style), indent=indent)

    def write_row(
        self,
        labels: Sequence[StyledText],
        body: Sequence[StyledText],
        *,
        gap: int,
        indent: int = 0,
        style: str = "",
    ) -> None:
        """Short texts, so many blanks after each, and one that wraps beside them."""
        begin = "".join(text + " " * gap for text, _ in labels)
        whole = "".join(text for text, _ in body)
        plain = is_plain(begin)
        if plain and self._write_plain(whole, " " * indent + begin, " " * (indent + len(begin))):
            return
        from rich.table import Table  # noqa: PLC0415  (see above)
        from rich.text import Text  # noqa: PLC0415  (see above)

        grid = Table.grid(padding=(0, gap, 0, 0))
        for _, own in labels:
            grid.add_column(no_wrap=True, style=own)
        grid.add_column(overflow="fold", style=style)
        grid.add_row(*(text for text, _ in labels), Text.assemble(*body))
        self.write_block(grid, indent=indent)

    def write_verbatim(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """A line to paste: never broken, however long."""
        if not self._color and is_plain(text):
            self._file.write(f"{' ' * indent}{text}\n")
            return
        from rich.text import Text  # noqa: PLC0415  (see above)

        self._console.print(Text(" " * indent + text, style=style), soft_wrap=True)

    def _write_plain(self, text: str, begin: str, margin: str) -> bool:
        """Write it without rich, behind `begin` and then `margin`; False: that needs colors."""
        lines = None if self._color else wrap_plain(text, self.width - len(margin))
        if lines is None:
            return False
        heads = [begin, *[margin] * (len(lines) - 1)]
        self._file.write("".join(f"{a}{b}\n" for a, b in zip(heads, lines, strict=True)))
        return True
