"""The page `gpu.md`: tables of every part, with card, driver and date."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

TITLE = "# On a real GPU"
STUB_TITLE = "# A dry run: stub libraries, no GPU"


def render_page(data: Mapping[str, Any]) -> str:
    """Everything that is known so far, as Markdown."""
    return "\n".join(_render_lines(data)) + "\n"


def _render_lines(data: Mapping[str, Any]) -> Iterator[str]:
    card = data["card"]
    yield STUB_TITLE if card.get("dry_run") else TITLE
    yield ""
    yield (
        f"Written by `sh dev.sh gpu` on {card.get('date', '?')}: {card.get('name') or 'no GPU'},"
        f" driver {card.get('driver') or 'unknown'}, CUDA {card.get('cuda') or 'unknown'},"
        f" {card.get('cpus', '?')} CPUs, Linux {card.get('kernel', '?')}."
    )
    for name, part in data["parts"].items():
        yield ""
        yield f"## {part['title']}"
        yield ""
        seconds = f" in {part['seconds']:.0f} s" if part.get("seconds") else ""
        yield f"Part `{name}`: {part['state']}{seconds}."
        for table in part["tables"]:
            yield from _render_table(table)


def _render_table(table: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"### {table['title']}"
    yield ""
    if table["rows"]:
        yield _format_row(table["head"])
        yield "|---" * len(table["head"]) + "|"
        yield from map(_format_row, table["rows"])
    for note in table["notes"]:
        yield ""
        yield f"{note}"


def _format_row(cells: Sequence[str]) -> str:
    clean = (" ".join(str(cell).split()).replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(clean)} |"
