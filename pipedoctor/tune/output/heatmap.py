"""The map of a tuning for a terminal: samples/s by workers and prefetch_factor."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipedoctor.tune.model.predict import is_same_load
from pipedoctor.tune.search.tuning import Tuning

_CELL_WIDTH, _MARGIN_WIDTH, _LABEL_WIDTH = 9, 4, 9
_SHADES = ((0.95, "30;43"), (0.8, "30;42"), (0.6, "30;46"), (0.4, "97;44"))
"""Share of the fastest from which on a cell has these colors (SGR)."""
_RESET = "\x1b[0m"
CAPTION = (
    "samples/s by num_workers and prefetch_factor; [measured], otherwise predicted, * recommended"
)


@dataclass(frozen=True, kw_only=True)
class HeatmapCell:
    """One setting on the map."""

    rate: float
    measured: bool
    chosen: bool

    @property
    def is_always_shown(self) -> bool:
        """Is it shown however narrow the terminal is?"""
        return self.measured or self.chosen


HeatmapCells = dict[tuple[int, int | None], HeatmapCell]


def draw_heatmap(tuning: Tuning, *, width: int, color: bool = False) -> Iterator[str]:
    """
    Lines of at most so many columns, 40 at least; none where there is one setting.

    Settings with `in_order=False` have a map of their own, if one was measured.
    """
    ordered, loose = (_build_cells(tuning, in_order=order) for order in (True, False))
    if len(_list_workers(ordered)) + len(_list_workers(loose)) < 2:  # noqa: PLR2004
        return
    best = max(cell.rate for cell in (*ordered.values(), *loose.values()))
    if color:
        yield _format_legend()
    yield from _draw_map(ordered, best, width, color=color)
    if any(cell.is_always_shown for cell in loose.values()):
        yield "    with in_order=False"
        yield from _draw_map(loose, best, width, color=color)


def _build_cells(tuning: Tuning, *, in_order: bool) -> HeatmapCells:
    """All that is predicted, and what was measured beside it."""
    rates = [(p.setting, p.samples_per_second, p.measured) for p in tuning.predictions]
    rates += [(t.setting, t.samples_per_second, True) for t in tuning.pipeline.trials]
    return {
        (setting.num_workers, setting.prefetch_factor): HeatmapCell(
            rate=rate,
            measured=measured,
            chosen=is_same_load(setting, tuning.choice.setting),
        )
        for setting, rate, measured in rates
        if setting.in_order is in_order
    }


def _list_workers(cells: HeatmapCells) -> list[int]:
    return sorted({workers for workers, _ in cells})


def _draw_map(cells: HeatmapCells, best: float, width: int, *, color: bool) -> Iterator[str]:
    """As many columns side by side as there is room for, the others below."""
    room = max(2, (width - _MARGIN_WIDTH - _LABEL_WIDTH) // _CELL_WIDTH)
    shown = _choose_columns(cells, room)
    rows = sorted({prefetch for _, prefetch in cells}, key=lambda p: p or 0)
    for first in range(0, len(shown), room):
        columns = shown[first : first + room]
        yield _format_row("workers", [f"{number}  ".rjust(_CELL_WIDTH - 1) for number in columns])
        for prefetch in rows:
            row = [cells.get((number, prefetch)) for number in columns]
            if any(row):
                texts = [_format_cell(cell, best, color=color) for cell in row]
                yield _format_row(f"{prefetch or 'none'}", texts)
    left = [number for number in _list_workers(cells) if number not in shown]
    if left:
        yield _describe_hidden(left, width)


def _format_row(label: str, cells: list[str]) -> str:
    return (" " * _MARGIN_WIDTH + label.ljust(_LABEL_WIDTH) + " ".join(cells)).rstrip()


def _choose_columns(cells: HeatmapCells, room: int) -> list[int]:
    """What was measured or is recommended, and neighbours of that in the room left."""
    required = {workers for (workers, _), cell in cells.items() if cell.is_always_shown}
    best = next((w for (w, _), cell in cells.items() if cell.chosen), 0)
    others = [number for number in _list_workers(cells) if number not in required]
    near = sorted(others, key=lambda number: abs(number - best))
    return sorted(required | set(near[: max(0, room - len(required))]))


def _describe_hidden(numbers: list[int], width: int) -> str:
    """Which columns there was no room for, or how many, in one line."""
    text = f"    not shown: {', '.join(map(str, numbers))} workers; see --html"
    return text if len(text) <= width else f"    not shown: {len(numbers)} columns"


def _format_cell(cell: HeatmapCell | None, best: float, *, color: bool) -> str:
    """Eight columns: the number, what it is, and its shade."""
    if cell is None:
        return " " * (_CELL_WIDTH - 1)
    number = format_short_rate(cell.rate, best)
    text = f"[{number}]" if cell.measured else f" {number} "
    pad = " " * (_CELL_WIDTH - 2 - len(text))
    shade = _choose_shade(cell.rate / best) if color else ""
    text = f"\x1b[{shade}m{text}{_RESET}" if shade else text
    return pad + text + ("*" if cell.chosen else " ")


def format_short_rate(rate: float, best: float) -> str:
    """At most five characters, in the unit and with the digits of the best one."""
    units = ((1e6, "M"), (1e3, "k"))
    unit, name = next((u for u in units if best >= 10 * u[0]), (1.0, ""))
    digits = sum(best / unit < limit for limit in (99.5, 9.95))
    return f"{rate / unit:.{digits}f}{name}"


def _choose_shade(share: float) -> str:
    return next((shade for least, shade in _SHADES if share >= least), "")


def _format_legend() -> str:
    parts = (f"\x1b[{shade}m {least:.0%} {_RESET}" for least, shade in _SHADES)
    return f"    at least {' '.join(parts)} of the fastest"
