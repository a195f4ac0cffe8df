"""Proof by the clock: what was predicted of edits, and what they really save."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipedoctor.check import Counterfactual, Finding
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.console.measured_gain import explain_rejection
from pipedoctor.tune.compare.paired import BaselineProbe


@dataclass(frozen=True, kw_only=True)
class EditMeasurement:
    """Measures before and after; `strict`: what does not help is taken back."""

    before: BaselineProbe
    strict: bool

    def explain_rejection(self, console: Console, findings: Sequence[Finding]) -> str:
        """
        Measure what was written and print it.

        Returns why it must be taken back, or nothing.
        """
        found = self.before.compare(merge_counterfactuals(findings))
        self.before.request.watch("")
        return explain_rejection(console, found, strict=self.strict)


def merge_counterfactuals(findings: Sequence[Finding]) -> Counterfactual:
    """What several remedies change beside the arguments of the loader."""
    wanted = [f.counterfactual for f in findings if f.counterfactual is not None]
    return Counterfactual(
        uint8=any(one.uint8 for one in wanted),
        one_thread=any(one.one_thread for one in wanted),
    )
