"""Functions that all bottleneck checks share: matching and reporting."""

from typing import Any

from msgspec.structs import replace

from pipedoctor.bottleneck.classify import Bottleneck, classify_bottleneck
from pipedoctor.bottleneck.classify_observed import (
    classify_observed,
    describe_kernel_wait,
    is_doubtful,
)
from pipedoctor.check import (
    EPOCH,
    CannotJudge,
    Confidence,
    Counterfactual,
    Finding,
    Gain,
    Location,
    Remedy,
    Severity,
)
from pipedoctor.facts import Observation, Pipeline
from pipedoctor_checks.bottlenecks._costs import bottleneck_cost
from pipedoctor_checks.bottlenecks._setting_advice import advise_tuning


def match_bottleneck(seen: Pipeline, name: str) -> Bottleneck | None:
    """The bottleneck if it is this one; raises CannotJudge if none was measured."""
    if seen.observed is not None:
        found = classify_observed(seen.observed)
        return found if found.name == name else None
    if not seen.trials:
        message = f"no batch of {seen.target} was measured"
        raise CannotJudge(message)
    found = classify_bottleneck(seen)
    return found if found.name == name else None


def report_bottleneck(
    seen: Pipeline,
    found: Bottleneck,
    *remedies: Remedy,
    severity: Severity = Severity.SLOWS,
    counterfactual: Counterfactual | None = None,
) -> Finding:
    """Report the bottleneck with its seconds per sample and their share."""
    if seen.observed is not None:
        return _report_observed(
            seen.observed,
            found,
            *remedies,
            *advise_tuning(seen, found),
            severity=severity,
            counterfactual=counterfactual,
        )
    disturbed = next((t.disturbance for t in seen.trials if t.disturbance), "")
    evidence: dict[str, Any] = {"target": seen.target}
    cost = bottleneck_cost(seen, found)
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
        summary=f"bottleneck of {seen.target}: {found.reason}",
        evidence=evidence,
        remedies=remedies,
        counterfactual=counterfactual,
    )


def _report_observed(
    seen: Observation,
    found: Bottleneck,
    *remedies: Remedy,
    severity: Severity,
    counterfactual: Counterfactual | None,
) -> Finding:
    """The cause with its line of code, what the kernel says of it, and the shares."""
    fine = found.name in {"consumer", "main-thread"}
    hot = seen.step if fine else seen.hot
    if "sampling_share" in found.evidence:
        hot = seen.sampler
    evidence: dict[str, Any] = {"data_wait.share": round(seen.data_wait, 3)}
    if seen.gpu_busy is not None:
        evidence["gpu.busy.share"] = round(seen.gpu_busy, 3)
    if seen.ranks > 1 and seen.rank is not None:
        evidence["rank"] = seen.rank
    if hot is not None:
        evidence |= {"hot.share": round(hot.share, 3), "hot.function": hot.function}
    words = describe_kernel_wait(seen.kernel).removeprefix(" in ")
    if words and not fine:
        evidence["kernel"] = words
    evidence |= {key: round(value, 6) for key, value in found.evidence.items()}
    return Finding(
        severity=severity,
        confidence=Confidence.POSSIBLE if is_doubtful(seen, found) else Confidence.LIKELY,
        summary=found.reason,
        evidence=evidence,
        location=Location(path=hot.path, line=hot.line) if hot else None,
        remedies=remedies,
        gain=_startup_gain(seen) if found.name == "worker-startup" else None,
        counterfactual=_predictable(counterfactual),
    )


def _startup_gain(seen: Observation) -> Gain:
    """Workers that are kept deliver at once, but for their first batch."""
    share = seen.main.starting
    return Gain(value=0.9 * share, low=0.5 * share, high=share, unit=EPOCH, basis="modelled")


def _predictable(counterfactual: Counterfactual | None) -> Counterfactual | None:
    """What would have to be measured to be imagined is not known of a running job."""
    if counterfactual is None or counterfactual.packed or counterfactual.uncollected:
        return None
    if counterfactual.in_order is not None or counterfactual.persistent is not None:
        return None
    return replace(counterfactual, blas=False) if counterfactual.blas else counterfactual
