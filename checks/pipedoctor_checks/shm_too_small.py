"""PDR701: can /dev/shm hold what the workers keep in flight?"""

from msgspec.structs import replace

from pipedoctor.check import Findings, check
from pipedoctor.facts import Loader, Memory, Shm, Site
from pipedoctor.units import MiB
from pipedoctor_checks._in_flight import InFlight
from pipedoctor_checks._short_of_shm import (
    only_small_batches,
    out_of_memory,
    overflow,
    unfit,
)

MEMORY = ("tmpfs", "ramfs", "devtmpfs", "")


@check("PDR701", "/dev/shm is too small for the batches in flight", after=("PDR702",))
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
    Compare /dev/shm with the batches that wait in it.

    ## Why it hurts

    A worker that finds /dev/shm full dies with `Bus error`, or since torch 2.10 with
    `unable to allocate shared memory(shm)`, often hours into a run. Docker, Podman
    and Kubernetes give a container 64 MiB unless they are told otherwise. What lies
    in /dev/shm counts as memory of the job: one that holds more than the memory
    limit allows is killed instead, without a word of /dev/shm. `ulimit` has no
    bearing on it, and the sharing strategy `file_system` uses the same /dev/shm.

    ## How it is judged

    The workers need `(num_workers * prefetch_factor + 2) * batch_bytes`, in every
    rank and in every loader that is alive at the same time. More than /dev/shm has,
    or has left, breaks; `headroom` leaves room for NCCL and for batches that the
    training code keeps, and less than that is a risk. What cannot be swapped out
    and is more than the memory limit breaks, too.

    Where the batch is not known, the largest one that fits is named if it is smaller
    than `batch`: 32 float images of 224 x 224 already take 18.4 MiB. Where the
    workers are not known, `workers` of them are assumed; then it is only a risk.
    A running job (`--pid`) is judged by the size alone: part of what is in use is
    its own. Ray keeps its object store in the same place: it counts as in use.

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
    if shm.missing or shm.read_only or shm.fstype not in MEMORY:
        yield unfit(shm, site)
        return
    sure = job.num_workers is not None
    job = job if sure else replace(job, num_workers=workers)
    case = InFlight(shm=shm, job=job, headroom=headroom)
    if job.batch_bytes is None:
        if case.largest_batch < batch:
            yield only_small_batches(case, site, batch)
    elif memory and case.need > memory.limit:
        yield out_of_memory(case, memory, site)
    elif case.room < case.needed:
        yield overflow(case, memory, site, sure=sure)
