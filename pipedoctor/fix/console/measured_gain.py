"""What the clock says of a change: predicted against measured, and whether it stays."""

from dataclasses import dataclass

from pipedoctor.check import Gain
from pipedoctor.facts import Spread
from pipedoctor.fix.console.console import Console
from pipedoctor.report.sentences import describe_gain
from pipedoctor.tune.compare.paired import PairedComparison


@dataclass(frozen=True, kw_only=True)
class RepairComparison(PairedComparison):
    """The loader failed before the change, and runs after it."""

    failed: str
    """How it failed before."""
    rate: Spread
    """Samples a second now."""

    @property
    def is_improvement(self) -> bool:
        """More than any gain: there was nothing before."""
        return True


def explain_rejection(console: Console, comparison: PairedComparison, *, strict: bool) -> str:
    """
    Print what was measured.

    Returns why the change must be taken back, or nothing.
    """
    if comparison.is_unusable:
        return f"the target can no longer be used: {comparison.reason}"
    console.print_lines(*describe_comparison(comparison))
    if not strict or comparison.is_improvement:
        return ""
    if comparison.measured is None:
        return f"not proved: {comparison.reason}"
    return f"it shows no gain: {format_gain(comparison.measured)}"


def describe_comparison(comparison: PairedComparison) -> list[str]:
    """One line for the prediction, one for the measurement."""
    lines = [f"predicted: {describe_gain(comparison.predicted)}"] if comparison.predicted else []
    if isinstance(comparison, RepairComparison):
        rate = comparison.rate
        lines.append(f"before: it failed: {comparison.failed}")
        return [*lines, f"measured: it runs, {rate.value:.4g} samples/s"]
    if comparison.measured is None:
        return [*lines, f"measured: inconclusive: {comparison.reason}"]
    return [*lines, f"measured: {describe_gain(comparison.measured)}, {comparison.pairs} pairs"]


def format_gain(gain: Gain) -> str:
    """``2% of epoch time (-1% to 4%)``."""
    return f"{gain.value:.0%} of epoch time ({gain.low:.0%} to {gain.high:.0%})"
