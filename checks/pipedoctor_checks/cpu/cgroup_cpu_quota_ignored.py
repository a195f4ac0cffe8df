"""PDR720: do programs see more CPUs than the quota lets them use?"""

import math
from collections.abc import Iterator

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Counterfactual,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
    environment,
    grant_cpus,
    in_code,
    select_remedies,
    unit_property,
)
from pipedoctor.facts import Cpu, Loader, Quota, Site, Threads
from pipedoctor.units import format_count


@check("PDR720", "Python and torch see more CPUs than the CPU quota allows")
def cgroup_cpu_quota_ignored(
    cpu: Cpu,
    loader: Loader | None,
    site: Site | None,
    threads: Threads | None = None,
    /,
    *,
    throttled: float = 0.25,
    periods: int = 100,
) -> Findings:
    """
    Compare the CPU quota of the control group with the CPUs that programs count.

    ## Why it hurts

    `docker run --cpus`, `limits.cpu` of Kubernetes and `CPUQuota=` of systemd set a
    quota of CPU time. `os.cpu_count()`, the affinity mask, torch's suggested number of
    workers and the default number of OpenMP and BLAS threads ignore it: they count the
    CPUs of the host. When a group has used up its quota, all of its processes stop
    until the next period (0.1 s). With half a CPU, one worker and two workers were
    equally slow, without a warning from torch.

    ## How it is judged

    A quota below the number of visible CPUs is a note: it is normal in a healthy
    container, but numbers taken from `cpu_count()` are wrong there. It slows the job if
    more workers are requested than the quota has CPUs, or if the group was throttled in
    a share of `throttled` of at least `periods` periods. It is healthy if both the
    workers and OMP_NUM_THREADS are set and within the quota. The tightest quota of the
    group and all its visible parents counts.

    ## Sources

    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    - https://github.com/onyx-dot-app/onyx/pull/12351
    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    if cpu.quota_unknown:
        raise CannotJudge(cpu.quota_unknown)
    quota = cpu.quota
    if quota is None or quota.cpus >= cpu.visible_cpus:
        return
    allowed = math.ceil(quota.cpus)
    workers = loader.workers_on_node if loader else None
    crowded = workers is not None and workers > allowed
    share = quota.throttled_share or 0.0
    stopped = share >= throttled and (quota.periods or 0) >= periods
    if _is_respected(allowed, loader, threads) and not stopped:
        return
    summary = f"the quota allows {format_count(quota.cpus, 'CPU')}, but Python and torch see "
    summary += f"{cpu.visible_cpus}" + f"; {workers} workers share them" * crowded
    summary += f"; the group was throttled in {share:.0%} of all periods" * stopped

    likely = crowded and not stopped
    wanted = min(cpu.visible_cpus, workers or cpu.visible_cpus)
    yield Finding(
        severity=Severity.SLOWS if crowded or stopped else Severity.NOTE,
        confidence=Confidence.LIKELY if likely else Confidence.CERTAIN,
        summary=summary,
        evidence=_collect_evidence(cpu, quota, workers, share),
        counterfactual=Counterfactual(cores=float(cpu.visible_cpus)),
        remedies=select_remedies(
            site.launcher if site else None,
            *_respect_quota(cpu, loader),
            *(_raise_quota(quota, wanted) if crowded or stopped else ()),
        ),
    )


def _is_respected(processors: int, loader: Loader | None, threads: Threads | None) -> bool:
    """Are workers and threads of each rank set, and no more than the quota has CPUs?"""
    workers = loader.workers_on_node if loader else None
    each = threads.asked.get("OMP_NUM_THREADS") if threads else None
    if loader is None or workers is None or each is None:
        return False
    ranks = loader.ranks or 1
    return workers <= processors and each * ranks <= max(processors, ranks)


def _collect_evidence(
    cpu: Cpu, quota: Quota, workers: int | None, share: float
) -> dict[str, object]:
    return {
        "cpu.quota.cpus": quota.cpus,
        "cpu.quota.source": quota.source,
        "cpu.visible": cpu.visible_cpus,
        "loader.workers_on_node": workers,
        "cpu.quota.throttled_share": round(share, 3),
    }


def _respect_quota(cpu: Cpu, loader: Loader | None) -> Iterator[Remedy]:
    each = cpu.divide_by_ranks(loader.ranks if loader else None)
    yield in_code(
        "Derive the number of workers from the quota, not from os.cpu_count()",
        f"DataLoader(..., num_workers={each})",
    )
    yield from environment("Limit threads to the CPUs of the quota", OMP_NUM_THREADS=each)


def _raise_quota(quota: Quota, cpus: int) -> tuple[Remedy, ...]:
    unit = "Raise the quota of the systemd unit, if its owner agrees"
    return (
        *grant_cpus("Give the job more CPUs", cpus),
        *unit_property(unit, quota.source, f"CPUQuota={cpus * 100}%"),
    )
