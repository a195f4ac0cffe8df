"""Read which thread counts the environment asks numeric libraries for."""

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Threads

VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "RAYON_NUM_THREADS",
    "POLARS_MAX_THREADS",
)


def threads(machine: Machine, announce: Announce) -> Threads:
    """Read the job's environment; of a list such as ``4,2`` the outermost level."""
    announce("read the environment")
    asked: dict[str, int] = {}
    odd: dict[str, str] = {}
    for name in VARIABLES:
        value = machine.environ.get(name)
        if value is None:
            continue
        first = value.split(",")[0].strip()
        if first.isascii() and first.isdecimal() and int(first):
            asked[name] = int(first)
        else:
            odd[name] = value[:100]
    return Threads(asked=asked, odd=odd)
