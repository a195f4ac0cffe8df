"""Functions that all bottleneck checks share: matching and reporting."""

from typing import Any

from msgspec.structs import replace

from pipedoctor.bottleneck.classify import classify_bottleneck
from pipedoctor.bottleneck.classify_observed import classify_observed, is_doubtful
from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.bottleneck.observed_figures import (
    choose_line,
    describe_kernel_wait,
    is_outside_workers,
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


def match_bottleneck(pipeline: Pipeline, name: str) -> Bottleneck | None:
    """The bottleneck if it is this one; raises CannotJudge if none was measured, or seen."""
    if pipeline.observed is not None:
        found = classify_observed(pipeline.observed)
        if not pipeline.observed.samples and name != "unknown":
            raise CannotJudge(found.reason)
        return found if found.name == name else None
    if not pipeline.trials:
        message = f"no batch of {pipeline.target} was measured"
        raise CannotJudge(message)
    found = classify_bottleneck(pipeline)
    return found if found.name == name else None


def report_bottleneck(
    pipeline: Pipeline,
    bottleneck: Bottleneck,
    *remedies: Remedy,
    severity: Severity = Severity.SLOWS,
    counterfactual: Counterfactual | None = None,
) -> Finding:
    """Report the bottleneck with its seconds per sample and their share."""
    if pipeline.observed is not None:
        return _report_observed(
            pipeline.observed,
            bottleneck,
            *remedies,
            *advise_tuning(pipeline, bottleneck),
            severity=severity,
            counterfactual=counterfactual,
        )
    disturbed = next((t.disturbance for t in pipeline.trials if t.disturbance), "")
    evidence: dict[str, Any] = {"target": pipeline.target}
    cost = bottleneck_cost(pipeline, bottleneck)
    if cost is not None:
        batch = pipeline.start.batch_size or 1
        share = min(1.0, cost.seconds / max(cost.whole, 1e-12))
        evidence["seconds_per_sample"] = cost.seconds / batch
        evidence["share"] = round(share, 3)
        evidence["share_of"] = cost.of
    evidence |= {key: round(value, 6) for key, value in bottleneck.evidence.items()}
    if disturbed:
        evidence["disturbed"] = disturbed
    doubtful = bool(disturbed) or bottleneck.name == "unknown"
    return Finding(
        severity=severity,
        confidence=Confidence.POSSIBLE if doubtful else Confidence.LIKELY,
        summary=f"bottleneck of {pipeline.target}: {bottleneck.reason}",
        evidence=evidence,
        remedies=remedies,
        counterfactual=counterfactual,
    )


def _report_observed(
    observation: Observation,
    bottleneck: Bottleneck,
    *remedies: Remedy,
    severity: Severity,
    counterfactual: Counterfactual | None,
) -> Finding:
    """The cause with its line of code, what the kernel says of it, and the shares."""
    hot = choose_line(observation, bottleneck)
    evidence: dict[str, Any] = {"data_wait.share": round(observation.data_wait, 3)}
    if observation.gpu_busy is not None:
        evidence["gpu.busy.share"] = round(observation.gpu_busy, 3)
    if observation.ranks > 1 and observation.rank is not None:
        evidence["rank"] = observation.rank
    if hot is not None:
        evidence |= {"hot.share": round(hot.share, 3), "hot.function": hot.function}
    words = describe_kernel_wait(observation.kernel).removeprefix(" in ")
    if words and not is_outside_workers(bottleneck):
        evidence["kernel"] = words
    evidence |= {key: round(value, 6) for key, value in bottleneck.evidence.items()}
    doubtful = is_doubtful(observation, bottleneck)
    return Finding(
        severity=severity,
        confidence=Confidence.POSSIBLE if doubtful else Confidence.LIKELY,
        summary=bottleneck.reason,
        evidence=evidence,
        location=Location(path=hot.path, line=hot.line) if hot else None,
        remedies=remedies,
        gain=_startup_gain(observation) if bottleneck.name == "worker-startup" else None,
        counterfactual=_predictable(counterfactual),
    )


def _startup_gain(observation: Observation) -> Gain:
    """Workers that are kept deliver at once, but for their first batch."""
    share = observation.main.starting
    return Gain(value=0.9 * share, low=0.5 * share, high=share, unit=EPOCH, basis="modelled")


def _predictable(counterfactual: Counterfactual | None) -> Counterfactual | None:
    """What would have to be measured to be imagined is not known of a running job."""
    if counterfactual is None or counterfactual.packed or counterfactual.uncollected:
        return None
    if counterfactual.in_order is not None or counterfactual.persistent is not None:
        return None
    return replace(counterfactual, blas=False) if counterfactual.blas else counterfactual
