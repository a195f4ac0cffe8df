"""Proof by the clock: what was predicted of edits, and what they really save."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipedoctor.check import Counterfactual, Finding, Gain
from pipedoctor.fix.counter import Counter
from pipedoctor.report.words import gained
from pipedoctor.tune.proof import Before, Compared


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Measures before and after; `strict`: what does not help is taken back."""

    before: Before
    strict: bool

    def fault(self, desk: Counter, cured: Sequence[Finding]) -> str:
        """Measure what was written, and say it; why it must go; empty: it stays."""
        found = self.before.compare(together(cured))
        if found.broken:
            return f"the target cannot be used any more: {found.why}"
        desk.say(*said(found))
        if not self.strict or found.helps:
            return ""
        if found.measured is None:
            return f"not proved: {found.why}"
        return f"it does not help: {figures(found.measured)}"


def together(cured: Sequence[Finding]) -> Counterfactual:
    """What several remedies change beside the arguments of the loader."""
    wanted = [f.counterfactual for f in cured if f.counterfactual is not None]
    return Counterfactual(
        uint8=any(one.uint8 for one in wanted),
        one_thread=any(one.one_thread for one in wanted),
    )


def said(found: Compared) -> list[str]:
    """One line for the prediction, one for the measurement."""
    lines = [f"predicted: {gained(found.predicted)}"] if found.predicted else []
    if found.measured is None:
        return [*lines, f"measured: cannot say: {found.why}"]
    return [*lines, f"measured: {gained(found.measured)}, {found.pairs} pairs"]


def figures(gain: Gain) -> str:
    """``2% of epoch time (-1% to 4%)``."""
    return f"{gain.value:.0%} of epoch time ({gain.low:.0%} to {gain.high:.0%})"
