"""What the clock says of a change: predicted against measured, and whether it stays."""

from dataclasses import dataclass

from pipedoctor.check import Gain
from pipedoctor.facts import Spread
from pipedoctor.fix.counter import Counter
from pipedoctor.report.words import gained
from pipedoctor.tune.proof import Compared


@dataclass(frozen=True, kw_only=True)
class Repaired(Compared):
    """The loader failed before the change, and runs after it."""

    failed: str
    """How it failed before."""
    rate: Spread
    """Samples a second now."""

    @property
    def helps(self) -> bool:
        """More than any gain: there was nothing before."""
        return True


def fault(desk: Counter, found: Compared, *, strict: bool) -> str:
    """Say what was measured; why the change must go, or nothing: it stays."""
    if found.broken:
        return f"the target cannot be used any more: {found.why}"
    desk.say(*said(found))
    if not strict or found.helps:
        return ""
    if found.measured is None:
        return f"not proved: {found.why}"
    return f"it does not help: {figures(found.measured)}"


def said(found: Compared) -> list[str]:
    """One line for the prediction, one for the measurement."""
    lines = [f"predicted: {gained(found.predicted)}"] if found.predicted else []
    if isinstance(found, Repaired):
        rate = found.rate
        lines.append(f"before: it failed: {found.failed}")
        return [*lines, f"measured: it runs, {rate.value:.4g} samples/s"]
    if found.measured is None:
        return [*lines, f"measured: cannot say: {found.why}"]
    return [*lines, f"measured: {gained(found.measured)}, {found.pairs} pairs"]


def figures(gain: Gain) -> str:
    """``2% of epoch time (-1% to 4%)``."""
    return f"{gain.value:.0%} of epoch time ({gain.low:.0%} to {gain.high:.0%})"
