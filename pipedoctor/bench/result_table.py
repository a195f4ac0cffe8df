"""A result for people: what was measured, a table, and the conclusions."""

from dataclasses import dataclass, field

from pipedoctor.facts.bench import Host, Quality, Spread
from pipedoctor.units import format_count, format_size


@dataclass(frozen=True, kw_only=True)
class ResultSheet:
    """The content of every human-readable format."""

    title: str
    conclusions: tuple[str, ...] = ()
    """Conclusions, the most important first."""
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = field(default=())
    """Limits of the result: what could not be measured, disturbances, the machine."""


def format_number(value: float) -> str:
    """Three digits that mean something: ``1240``, ``62.4``, ``0.031``."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004


def format_interval(spread: Spread | None, unit: str = "") -> str:
    """``62.4 (61.2 to 63.0)``; empty when there is nothing."""
    if spread is None:
        return ""
    if spread.windows == 1:
        return f"{format_number(spread.value)}{unit}"
    low, high = format_number(spread.low), format_number(spread.high)
    return f"{format_number(spread.value)}{unit} ({low} to {high})"


def format_ratio(spread: Spread | None) -> str:
    """``1.72x (1.66 to 1.80)``."""
    if spread is None:
        return ""
    if spread.windows == 1:
        return f"{spread.value:.2f}x"
    return f"{spread.value:.2f}x ({spread.low:.2f} to {spread.high:.2f})"


def build_closing_notes(
    host: Host, quality: Quality, seconds: float, *, interrupted: bool
) -> tuple[str, ...]:
    """The last notes of every sheet: disturbances, the machine, the time."""
    notes: list[str] = []
    if interrupted:
        notes.append("Interrupted: results so far.")
    if quality.repeated:
        windows = format_count(quality.repeated, "window")
        verb = "was" if quality.repeated == 1 else "were"
        notes.append(f"{windows} {verb} repeated because other processes used the CPUs.")
    if quality.refused:
        windows = format_count(quality.refused, "window")
        verb = "does" if quality.refused == 1 else "do"
        notes.append(f"{windows} {verb} not count: {quality.why_refused}.")
    if quality.marked:
        notes.append(f"Unreliable, because the machine was busy: {quality.marked}.")
    memory = f", {format_size(host.memory)}" if host.memory else ""
    model = host.model or "an unknown processor"
    bound = f", {host.effective} usable" if host.effective != host.cpus else ""
    notes.append(
        f"Measured in {seconds:.0f} s on {model}, {format_count(host.cpus, 'CPU')}{bound}"
        f"{memory}, kernel {host.release}, {host.created}."
    )
    return tuple(notes)
