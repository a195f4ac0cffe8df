"""Proof by the clock: what was predicted of edits, and what they really save."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipedoctor.check import Counterfactual, Finding
from pipedoctor.fix.clock import fault
from pipedoctor.fix.counter import Counter
from pipedoctor.tune.proof import Before


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Measures before and after; `strict`: what does not help is taken back."""

    before: Before
    strict: bool

    def fault(self, desk: Counter, cured: Sequence[Finding]) -> str:
        """Measure what was written, and say it; why it must go; empty: it stays."""
        found = self.before.compare(together(cured))
        self.before.order.watch("")
        return fault(desk, found, strict=self.strict)


def together(cured: Sequence[Finding]) -> Counterfactual:
    """What several remedies change beside the arguments of the loader."""
    wanted = [f.counterfactual for f in cured if f.counterfactual is not None]
    return Counterfactual(
        uint8=any(one.uint8 for one in wanted),
        one_thread=any(one.one_thread for one in wanted),
    )
