"""PDR959: does NCCL find enough space in /dev/shm?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Launcher, Shm, Site
from pipedoctor.facts.log import Log
from pipedoctor.units import GiB
from pipedoctor_checks._shared.larger_shm import enlarge_shm
from pipedoctor_checks.crashes._log_check import report_log_cause


@check("PDR959", "NCCL does not find enough space in /dev/shm", fix="machine")
def nccl_shm_too_small(
    log: Log, shm: Shm | None, site: Site | None, /, *, size: int = 8 * GiB
) -> Findings:
    """
    Find NCCL segments that did not fit into /dev/shm.

    ## Why it hurts

    Ranks on one machine communicate through /dev/shm. A container has 64 MiB there, and
    NCCL needs some ten MiB per channel.

    ## How it is judged

    NCCL names a segment that it could not create. `unhandled system error` alone is
    only possible: NCCL_DEBUG=INFO shows more. `size` is the size that the remedies
    request.

    ## Sources

    - https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html
    - https://github.com/NVIDIA/nccl/issues/525
    """
    bare = site is not None and site.launcher is Launcher.BARE
    small = shm is not None and shm.size < size
    known = shm if shm is not None and small else Shm(size=0, remountable=bare)
    summary = "NCCL could not create its segments in /dev/shm"
    remedies = enlarge_shm(known, site, size)
    yield from report_log_cause(log, site, "nccl_shm_too_small", summary, *remedies)
