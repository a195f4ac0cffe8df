"""PDR701: can /dev/shm hold what the workers keep in flight?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Loader, Shm
from pipedoctor.remedy import Lasts, Place, Remedy
from pipedoctor.units import GiB, human


@check("PDR701", "/dev/shm is too small for the batches in flight")
def shm_too_small(
    shm: Shm, loader: Loader | None, /, *, headroom: float = 1.25
) -> Findings:
    """
    Compare /dev/shm with the batches that wait in it.

    ## Why it hurts

    A worker that finds /dev/shm full dies with `Bus error`, often hours into a run.
    Docker gives a container 64 MiB unless it is told otherwise.

    ## How it is judged

    The workers need `(num_workers * prefetch_factor + 2) * batch_bytes`.
    `headroom` leaves room for NCCL and for batches that the training code keeps.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://docs.docker.com/reference/cli/docker/container/run/
    """
    if loader is None or loader.bytes_in_flight is None:
        return
    needed = int(loader.bytes_in_flight * headroom)
    if shm.size >= needed:
        return

    fatal = shm.size < loader.bytes_in_flight
    yield Finding(
        severity=Severity.BREAKS if fatal else Severity.RISKS,
        summary=f"/dev/shm has {human(shm.size)}, the workers need {human(needed)}",
        evidence={"shm.size": shm.size, "needed": needed},
        remedies=(_remount(shm, needed) if shm.remountable else _relaunch(needed),),
    )


def _remount(shm: Shm, size: int) -> Remedy:
    def resize(size: int) -> tuple[str, ...]:
        return ("mount", "-o", f"remount,size={size}", "/dev/shm")

    return Remedy(
        title=f"Grow /dev/shm to {human(size)}",
        argv=resize(size),
        undo=resize(shm.size),
        verify=("df", "-h", "/dev/shm"),
        lasts=Lasts.BOOT,
        root=True,
    )


def _relaunch(size: int) -> Remedy:
    return Remedy(
        title="Start the container with a larger /dev/shm",
        argv=("docker", "run", f"--shm-size={-(-size // GiB)}g"),
        verify=("df", "-h", "/dev/shm"),
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
    )
