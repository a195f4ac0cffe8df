"""PDR950: the GPU is out of memory."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor.units import parse_size
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check

_OWN_GPU = advise_launch("Give every pod its own GPU or MIG slice", fits=(Launcher.KUBERNETES,))


def _reduce_fragmentation(title: str) -> Remedy:
    return advise_launch(
        title,
        snippet="export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        fits=(Launcher.BARE, Launcher.DOCKER, Launcher.SLURM),
    )


_MAYBE = _reduce_fragmentation(
    "If the log says that much is reserved but unallocated, reduce fragmentation"
)
_SURELY = _reduce_fragmentation(
    "Reduce fragmentation: more is reserved but unallocated than was asked for"
)


def _is_fragmented(log: Log) -> bool:
    """Would what is unallocated have been enough, in one piece?"""
    tried, unused = (log.find_value("gpu_out_of_memory", name) for name in ("asked", "unused"))
    return bool(tried and unused) and parse_size(unused) >= parse_size(tried)


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Half of the batch size that the log names, if it names one."""
    size = log.find_value("gpu_out_of_memory", "batch")
    half = int(size) // 2 if size.isdecimal() else 0
    smaller = in_code(
        "Halve batch_size until it fits, and accumulate gradients over as many batches more",
        f"DataLoader(..., batch_size={half})" if half else "",
    )
    if _is_fragmented(log):
        return (_SURELY, smaller, _OWN_GPU)
    return (smaller, _MAYBE, _OWN_GPU)


@log_check(
    "PDR950",
    "The GPU is out of memory",
    summary="The GPU is out of memory",
    remedies=_choose_remedies,
)
def gpu_out_of_memory() -> None:
    """
    Find a GPU without free memory, also behind errors of cuDNN and cuBLAS.

    ## Why it hurts

    The batch, the model, or another process needs more memory than the GPU has. cuDNN
    and cuBLAS, which need memory to start, then only report that they are not
    initialized.

    ## How it is judged

    torch reports it, or a CUDA library could not start or find an algorithm; then it is
    likely, not certain.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/cuda.html
    - https://github.com/haotian-liu/LLaVA/issues/392
    """
