"""What all bottlenecks share: which is it, what is said, which setting to paste."""

from typing import Any

from pipedoctor.bottleneck import Bottleneck, bottleneck
from pipedoctor.check import CannotJudge, Confidence, Counterfactual, Finding, Severity
from pipedoctor.facts import Pipeline, Setting
from pipedoctor.remedy import Remedy, in_code
from pipedoctor_checks._bottleneck_costs import costs

TUNED = Counterfactual(tuned=True)


def cause(seen: Pipeline, name: str) -> Bottleneck | None:
    """The bottleneck if it is this one; raises CannotJudge where none was measured."""
    if not seen.trials:
        message = f"no batch of {seen.target} was measured"
        raise CannotJudge(message)
    found = bottleneck(seen)
    return found if found.name == name else None


def said(
    seen: Pipeline,
    found: Bottleneck,
    *remedies: Remedy,
    severity: Severity = Severity.SLOWS,
    counterfactual: Counterfactual | None = None,
) -> Finding:
    """The cause with its evidence: seconds for each sample, and their share."""
    disturbed = next((t.disturbed for t in seen.trials if t.disturbed), "")
    evidence: dict[str, Any] = {"target": seen.target}
    cost = costs(seen, found)
    if cost is not None:
        batch = seen.start.batch_size or 1
        share = min(1.0, cost.seconds / max(cost.whole, 1e-12))
        evidence["seconds_per_sample"] = cost.seconds / batch
        evidence["share"] = round(share, 3)
        evidence["share_of"] = cost.of
    evidence |= {key: round(value, 6) for key, value in found.evidence.items()}
    if disturbed:
        evidence["disturbed"] = disturbed
    doubtful = bool(disturbed) or found.name == "unknown"
    return Finding(
        severity=severity,
        confidence=Confidence.POSSIBLE if doubtful else Confidence.LIKELY,
        summary=f"bottleneck of {seen.target}: {found.why}",
        evidence=evidence,
        remedies=remedies,
        counterfactual=counterfactual,
    )


def faster_setting(seen: Pipeline) -> tuple[Remedy, ...]:
    """The setting that was measured to be faster, to paste; none where none was."""
    best, start = seen.best, seen.start
    if best is None or not differs(best, start):
        return ()
    title = "Use the setting that was measured to be the fastest"
    return (in_code(title, f"DataLoader(..., {written(best, start)})"),)


def differs(best: Setting, start: Setting) -> bool:
    """Is there anything to change?"""
    return bool(written(best, start))


def written(best: Setting, start: Setting) -> str:
    """``num_workers=8, prefetch_factor=4``: what differs."""
    names = ("num_workers", "prefetch_factor", "in_order", "persistent_workers")
    pairs = ((name, getattr(best, name)) for name in names)
    changed = [f"{k}={v!r}" for k, v in pairs if v != getattr(start, k)]
    return ", ".join(changed)
