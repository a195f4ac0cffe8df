"""PDR703: do the open files that are allowed suffice for the workers?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Limits, Loader, Site
from pipedoctor.facts.log import Log
from pipedoctor_checks.limits._descriptor_need import DescriptorNeed, collect_evidence
from pipedoctor_checks.limits._descriptor_remedies import (
    raise_file_max,
    raise_limit,
    release_batches,
)


@check("PDR703", "The limit on open files is too low or used up", fix="machine")
def fd_limit_exhausted(  # noqa: PLR0913  (four facts, five thresholds)
    limits: Limits,
    loader: Loader | None,
    site: Site | None,
    log: Log | None,
    /,
    *,
    tensors: int = 2,
    spare: int = 64,
    least: int = 256,
    usual: int = 1024,
    full: float = 0.8,
) -> Findings:
    """
    Compare the limit on open files with what the workers and their batches hold.

    ## Why it hurts

    Every tensor received from a worker holds an open file for as long as the tensor, or
    a part of it, is kept; at the limit the loader dies with `Too many open files` or
    `received 0 items of ancdata`. The usual cause is a loop that keeps batches, targets
    or outputs in a list without copying them; a higher limit only delays that. A shell
    starts with a soft limit of 1024, and since Docker 29 so does a container; the hard
    limit is usually far above, and any program may raise its soft limit up to it. An
    unlimited number is not better: some programs iterate over all possible descriptors.

    ## How it is judged

    Bisected on torch 2.13: a training process with W workers needs at least 4 W + 12
    descriptors; with fewer it fails. A plain loop takes one more for each tensor that
    waits, `prefetch_factor` batches of `tensors` tensors for each worker; with `spare`
    for the rest of the program, fewer are a risk. The limit applies to each process, so
    ranks do not add up; loaders that are alive at the same time do.

    For a running job (`--pid`) its open files count: at the limit the job is broken,
    from the fraction `full` of it on it is at risk. Less than `least` is a risk for any
    job; `usual` and less is a note. The system-wide fs.file-max is judged by the
    fraction `full`, too.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/973
    - https://github.com/pytorch/pytorch/pull/34768
    - https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies
    - https://github.com/moby/moby/issues/51485
    - https://github.com/containerd/containerd/pull/9660
    - https://man7.org/linux/man-pages/man2/getrlimit.2.html
    """
    if site and site.system != "linux":
        message = "what workers need was measured on Linux only"
        raise CannotJudge(message)
    need = DescriptorNeed.estimate(limits, loader, tensors, spare)
    judgement = _judge_process_limit(limits, need, (least, usual), full)
    if judgement:
        severity, summary = judgement
        yield Finding(
            severity=severity,
            summary=summary,
            evidence=collect_evidence(limits, need),
            remedies=(*raise_limit(limits, site, need), *release_batches(log)),
        )
    in_use, most = limits.files_in_use, limits.file_max
    if in_use is not None and most is not None and in_use >= most * full:
        yield Finding(
            severity=Severity.BREAKS if in_use >= most else Severity.RISKS,
            summary=f"all programs together have {in_use} of {most} files open",
            evidence={"limits.files_in_use": in_use, "limits.file_max": most},
            remedies=raise_file_max(most, site),
        )


def _judge_process_limit(
    limits: Limits, need: DescriptorNeed, bounds: tuple[int, int], full: float
) -> tuple[Severity, str] | None:
    """The worst verdict on the process's own limit."""
    soft, has, (least, usual) = limits.nofile.soft, limits.open_files, bounds
    if soft is None:
        return None
    allowed, has = f"{soft} open files are allowed", -1 if has is None else has
    used = f"process {limits.pid} has {has} of {soft} files open"
    breaks, risks, note = Severity.BREAKS, Severity.RISKS, Severity.NOTE
    cases = (
        (has >= soft, breaks, used),
        (
            soft < need.least,
            breaks,
            f"{allowed}, but {need.subject} at least {need.least}",
        ),
        (has >= soft * full, risks, used),
        (
            soft < need.plain,
            risks,
            f"{allowed}, but {need.subject} up to {need.plain}",
        ),
        (soft < least, risks, f"only {allowed}; {usual} is usual"),
        (
            soft <= usual and need.workers != 0,
            note,
            f"{allowed}: few for a loop that keeps batches",
        ),
    )
    return next(((severity, words) for true, severity, words in cases if true), None)
