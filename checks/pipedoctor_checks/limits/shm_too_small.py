"""PDR701: can /dev/shm hold what the workers keep in flight?"""

from msgspec.structs import replace

from pipedoctor.check import Findings, check
from pipedoctor.facts import Loader, Memory, Shm, Site
from pipedoctor.units import MiB
from pipedoctor_checks._shared.assumed_job import describe_assumed_job
from pipedoctor_checks.limits._batches_in_flight import ShmDemand
from pipedoctor_checks.limits._shm_shortfall import (
    report_batch_limit,
    report_memory_limit,
    report_overflow,
    report_unusable_shm,
)

MEMORY_FSTYPES = ("tmpfs", "ramfs", "devtmpfs", "")


@check(
    "PDR701", "/dev/shm is too small for the batches in flight", after=("PDR702",), fix="machine"
)
def shm_too_small(  # noqa: PLR0913  (four facts, three thresholds)
    shm: Shm,
    loader: Loader | None,
    memory: Memory | None,
    site: Site | None,
    /,
    *,
    headroom: float = 1.25,
    workers: int = 4,
    batch: int = 16 * MiB,
) -> Findings:
    """
    Compare the size of /dev/shm with the batches in flight.

    ## Why it hurts

    A worker that finds /dev/shm full dies with `Bus error`, or since torch 2.10 with
    `unable to allocate shared memory(shm)`, often hours into a run. Docker, Podman and
    Kubernetes give a container 64 MiB by default. Files in /dev/shm count as memory of
    the job: a job that holds more than the memory limit allows is killed instead,
    without any mention of /dev/shm. `ulimit` has no effect on it, and the sharing
    strategy `file_system` uses the same /dev/shm.

    ## How it is judged

    The workers need `(num_workers * prefetch_factor + 2) * batch_bytes`, in every rank
    and in every loader that is alive at the same time. More than the size of /dev/shm,
    or than its free space, breaks the job; `headroom` leaves room for NCCL and for
    batches that the training code keeps, and less than that is a risk. A need that
    cannot be swapped out and exceeds the memory limit breaks the job, too.

    If the batch size is unknown, the largest batch that fits is reported if it is
    smaller than `batch`: 32 float images of 224 x 224 already take 18.4 MiB. If the
    number of workers is unknown, `workers` of them are assumed; then it is only a risk.
    A running job (`--pid`) is judged by the size alone, because part of the used space
    is its own. Ray keeps its object store in the same place: it counts as in use.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://docs.docker.com/reference/cli/docker/container/run/
    - https://kubernetes.io/docs/concepts/storage/volumes/#emptydir
    - https://man7.org/linux/man-pages/man5/tmpfs.5.html
    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    - https://github.com/pytorch/pytorch/pull/161910
    """
    job = loader or Loader()
    if job.num_workers == 0:
        return
    sure = job.num_workers is not None
    job = job if sure else replace(job, num_workers=workers)
    case = ShmDemand(shm=shm, job=job, headroom=headroom)
    if shm.missing or shm.read_only or shm.fstype not in MEMORY_FSTYPES:
        needed = case.batches * batch if job.batch_bytes is None else case.least_bytes
        yield report_unusable_shm(shm, site, case.size_for(int(needed * headroom)))
        return
    if job.batch_bytes is None:
        if case.largest_batch < batch:
            yield replace(
                report_batch_limit(case, site, batch),
                assumed=describe_assumed_job(job, batch, loader),
            )
    elif memory and case.least_bytes > memory.limit:
        yield report_memory_limit(case, memory, site)
    elif case.available_bytes < case.recommended_bytes:
        found = report_overflow(case, memory, site, sure=sure)
        yield found if sure else replace(found, assumed=describe_assumed_job(job, batch, loader))
