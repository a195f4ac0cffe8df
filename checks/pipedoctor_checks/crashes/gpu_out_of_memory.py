"""PDR950: the GPU is out of memory."""

from pipedoctor.check import in_code
from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR950",
    "The GPU is out of memory",
    summary="The GPU is out of memory",
    remedies=(
        in_code(
            "Halve batch_size until it fits, and accumulate gradients over as many batches more"
        ),
        advise_launch(
            "If the log says that much is reserved but unallocated, reduce fragmentation",
            snippet="export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
            fits=(Launcher.BARE, Launcher.DOCKER, Launcher.SLURM),
        ),
        advise_launch("Give every pod its own GPU or MIG slice", fits=(Launcher.KUBERNETES,)),
    ),
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
