"""PDR867: does a variable for debugging slow every step?"""

from typing import NamedTuple

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Gpu, Site, Variables
from pipedoctor_checks._shared.path_variables import unset_variable


class _DebugVariable(NamedTuple):
    """A variable, the values that switch it on (none: any), and what it then costs."""

    name: str
    values: frozenset[str]
    effect: str
    severity: Severity = Severity.SLOWS
    of_gpu: bool = False


_TABLE = (
    _DebugVariable(
        "CUDA_LAUNCH_BLOCKING",
        frozenset(("1",)),
        "the host waits for each CUDA kernel",
        of_gpu=True,
    ),
    _DebugVariable(
        "TORCH_DISTRIBUTED_DEBUG",
        frozenset(("detail",)),
        "all ranks check each collective operation",
    ),
    _DebugVariable(
        "PYTHONDEVMODE",
        frozenset(),
        "Python checks each allocation, in workers as well",
        Severity.NOTE,
    ),
    _DebugVariable(
        "PYTHONMALLOC",
        frozenset(("debug", "malloc_debug", "pymalloc_debug", "mimalloc_debug")),
        "Python checks each allocation, in workers as well",
        Severity.NOTE,
    ),
)


@check("PDR867", "A variable for debugging slows the job")
def debug_variable_set(variables: Variables, gpu: Gpu | None, site: Site | None, /) -> Findings:
    """
    Look for environment variables that are for debugging only.

    ## Why it hurts

    `CUDA_LAUNCH_BLOCKING=1`, set once to find the line of an error, makes every CUDA kernel
    synchronous: the host no longer prepares the next kernels while the GPU computes. It stays in
    a start-up file, a job script or an image, and nothing says so.

    ## How it is judged

    | variable | value | effect |
    |---|---|---|
    | `CUDA_LAUNCH_BLOCKING` | `1` | the host waits for each kernel |
    | `TORCH_DISTRIBUTED_DEBUG` | `DETAIL` | all ranks check each collective operation |
    | `PYTHONDEVMODE` | any | Python checks each allocation: a note |
    | `PYTHONMALLOC` | `debug` and its variants | as above: a note |

    The first counts only where there is an NVIDIA GPU. An empty value is not set.

    ## Sources

    - https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-environment-variables
    - https://docs.pytorch.org/docs/stable/distributed.html#torch-distributed-debug
    - https://docs.python.org/3/library/devmode.html
    """
    has_gpu = gpu is not None and bool(gpu.devices)
    for row in _TABLE:
        value = variables.values.get(row.name, "")
        on = value.lower() in row.values if row.values else bool(value)
        if on and (has_gpu or not row.of_gpu):
            yield Finding(
                severity=row.severity,
                summary=f"{row.name}={value} is set: {row.effect}",
                evidence={row.name: value},
                remedies=unset_variable(
                    site, f"Unset {row.name}, except to find an error", row.name
                ),
            )
