"""PDR959: does NCCL find room in /dev/shm?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Shm, Site
from pipedoctor.facts.log import Log
from pipedoctor.units import GiB
from pipedoctor_checks._larger_shm import larger
from pipedoctor_checks._told import told


@check("PDR959", "NCCL finds no room in /dev/shm")
def nccl_shm_too_small(
    log: Log, shm: Shm | None, site: Site | None, /, *, size: int = 8 * GiB
) -> Findings:
    """
    Find NCCL segments that did not fit into /dev/shm.

    ## Why it hurts

    Ranks on one machine talk through /dev/shm. A container has 64 MiB there, and NCCL
    asks for some ten MiB a channel.

    ## How it is judged

    NCCL names a segment that it could not make. `unhandled system error` alone makes
    it only possible: NCCL_DEBUG=INFO says more. `size` is what the remedies ask for.

    ## Sources

    - https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html
    - https://github.com/NVIDIA/nccl/issues/525
    """
    bare = site is not None and site.habitat is Habitat.BARE
    small = shm is not None and shm.size < size
    known = shm if shm is not None and small else Shm(size=0, remountable=bare)
    summary = "NCCL could not make its segments in /dev/shm"
    remedies = larger(known, site, size)
    yield from told(log, site, "nccl_shm_too_small", summary, *remedies)
