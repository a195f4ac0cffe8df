"""A result as people read it: what was measured, a table, and what follows from it."""

from dataclasses import dataclass, field

from pipedoctor.facts.bench import Host, Quality, Spread
from pipedoctor.units import human, many


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Every format for people is written from this."""

    title: str
    said: tuple[str, ...] = ()
    """What follows, the most important first."""
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = field(default=())
    """What limits it: what could not be measured, who disturbed it, where it ran."""


def number(value: float) -> str:
    """Three digits that mean something: ``1240``, ``62.4``, ``0.031``."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004


def between(found: Spread | None, unit: str = "") -> str:
    """``62.4 (61.2 to 63.0)``; empty when there is nothing."""
    if found is None:
        return ""
    if found.windows == 1:
        return f"{number(found.value)}{unit}"
    low, high = number(found.low), number(found.high)
    return f"{number(found.value)}{unit} ({low} to {high})"


def times(found: Spread | None) -> str:
    """``1.72x (1.66 to 1.80)``."""
    if found is None:
        return ""
    if found.windows == 1:
        return f"{found.value:.2f}x"
    return f"{found.value:.2f}x ({found.low:.2f} to {found.high:.2f})"


def closing(
    where: Host, seen: Quality, seconds: float, *, interrupted: bool
) -> tuple[str, ...]:
    """The last notes of every sheet: who disturbed it, the machine, the time."""
    notes: list[str] = []
    if interrupted:
        notes.append("Interrupted: this is what was known by then.")
    if seen.repeated:
        windows = many(seen.repeated, "window")
        verb = "was" if seen.repeated == 1 else "were"
        notes.append(f"{windows} {verb} measured again, for others had the CPUs.")
    if seen.refused:
        windows = many(seen.refused, "window")
        verb = "does" if seen.refused == 1 else "do"
        notes.append(f"{windows} {verb} not count: {seen.why_refused}.")
    if seen.marked:
        notes.append(f"Doubtful, for the machine was not quiet: {seen.marked}.")
    memory = f", {human(where.memory)}" if where.memory else ""
    model = where.model or "an unnamed processor"
    bound = f", {where.effective} usable" if where.effective != where.cpus else ""
    notes.append(
        f"Measured in {seconds:.0f} s on {model}, {many(where.cpus, 'CPU')}{bound}"
        f"{memory}, kernel {where.release}, {where.created}."
    )
    return tuple(notes)
