"""The map of a tuning for a terminal: samples/s by workers and prefetch_factor."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipedoctor.tune.predict import alike
from pipedoctor.tune.tuning import Tuning

_CELL, _MARGIN, _LABEL = 9, 4, 9
_SHADES = ((0.95, "30;43"), (0.8, "30;42"), (0.6, "30;46"), (0.4, "97;44"))
"""Share of the fastest from which on a cell has these colours (SGR)."""
_PLAIN = "\x1b[0m"
CAPTION = (
    "samples/s by num_workers and prefetch_factor; [measured], others predicted, "
    "* recommended"
)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One setting on the map."""

    rate: float
    measured: bool
    chosen: bool

    @property
    def kept(self) -> bool:
        """Is it shown however narrow the terminal is?"""
        return self.measured or self.chosen


Cells = dict[tuple[int, int | None], Cell]


def heatmap(tuning: Tuning, *, width: int, colour: bool = False) -> Iterator[str]:
    """
    Lines of at most so many columns, 40 at least; none where there is one setting.

    Settings with `in_order=False` have a map of their own, if one was measured.
    """
    ordered, loose = (_cells(tuning, in_order=order) for order in (True, False))
    if len(_workers(ordered)) + len(_workers(loose)) < 2:  # noqa: PLR2004
        return
    best = max(cell.rate for cell in (*ordered.values(), *loose.values()))
    if colour:
        yield _legend()
    yield from _drawn(ordered, best, width, colour=colour)
    if any(cell.kept for cell in loose.values()):
        yield "    with in_order=False"
        yield from _drawn(loose, best, width, colour=colour)


def _cells(tuning: Tuning, *, in_order: bool) -> Cells:
    """All that is predicted, and what was measured beside it."""
    rates = [(p.setting, p.samples_per_second, p.measured) for p in tuning.predictions]
    rates += [(t.setting, t.samples_per_second, True) for t in tuning.seen.trials]
    return {
        (setting.num_workers, setting.prefetch_factor): Cell(
            rate=rate, measured=measured, chosen=alike(setting, tuning.choice.setting)
        )
        for setting, rate, measured in rates
        if setting.in_order is in_order
    }


def _workers(cells: Cells) -> list[int]:
    return sorted({workers for workers, _ in cells})


def _drawn(cells: Cells, best: float, width: int, *, colour: bool) -> Iterator[str]:
    """As many columns side by side as there is room for, the others below."""
    room = max(2, (width - _MARGIN - _LABEL) // _CELL)
    shown = _chosen(cells, room)
    rows = sorted({prefetch for _, prefetch in cells}, key=lambda p: p or 0)
    for first in range(0, len(shown), room):
        columns = shown[first : first + room]
        yield _row("workers", [f"{number}  ".rjust(_CELL - 1) for number in columns])
        for prefetch in rows:
            found = [cells.get((number, prefetch)) for number in columns]
            if any(found):
                said = [_cell(cell, best, colour=colour) for cell in found]
                yield _row(f"{prefetch or 'none'}", said)
    left = [number for number in _workers(cells) if number not in shown]
    if left:
        yield _left(left, width)


def _row(label: str, cells: list[str]) -> str:
    return (" " * _MARGIN + label.ljust(_LABEL) + " ".join(cells)).rstrip()


def _chosen(cells: Cells, room: int) -> list[int]:
    """What was measured or is recommended, and neighbours of that in the room left."""
    kept = {workers for (workers, _), cell in cells.items() if cell.kept}
    best = next((w for (w, _), cell in cells.items() if cell.chosen), 0)
    others = [number for number in _workers(cells) if number not in kept]
    near = sorted(others, key=lambda number: abs(number - best))
    return sorted(kept | set(near[: max(0, room - len(kept))]))


def _left(numbers: list[int], width: int) -> str:
    """Which columns there was no room for, or how many, in one line."""
    said = f"    no room for {', '.join(map(str, numbers))} workers; --html has them"
    return said if len(said) <= width else f"    no room for {len(numbers)} columns"


def _cell(cell: Cell | None, best: float, *, colour: bool) -> str:
    """Eight columns: the number, what it is, and its shade."""
    if cell is None:
        return " " * (_CELL - 1)
    said = short(cell.rate, best)
    text = f"[{said}]" if cell.measured else f" {said} "
    pad = " " * (_CELL - 2 - len(text))
    shade = _shade(cell.rate / best) if colour else ""
    text = f"\x1b[{shade}m{text}{_PLAIN}" if shade else text
    return pad + text + ("*" if cell.chosen else " ")


def short(rate: float, best: float) -> str:
    """At most five characters, in the unit and with the digits of the best one."""
    units = ((1e6, "M"), (1e3, "k"))
    unit, name = next((u for u in units if best >= 10 * u[0]), (1.0, ""))
    digits = sum(best / unit < limit for limit in (99.5, 9.95))
    return f"{rate / unit:.{digits}f}{name}"


def _shade(share: float) -> str:
    return next((shade for least, shade in _SHADES if share >= least), "")


def _legend() -> str:
    parts = (f"\x1b[{shade}m {least:.0%} {_PLAIN}" for least, shade in _SHADES)
    return f"    at least {' '.join(parts)} of the fastest"
