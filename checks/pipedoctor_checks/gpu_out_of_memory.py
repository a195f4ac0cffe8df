"""PDR950: the memory of the GPU is full."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    in_code(
        "Use a smaller batch, or accumulate gradients", "DataLoader(..., batch_size=8)"
    ),
    advise(
        "See who else uses the card; against fragmentation",
        snippet="export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        fits=(
            Habitat.BARE,
            Habitat.SLURM,
        ),
    ),
    advise(
        "Against fragmentation; other containers share the card",
        argv=(
            "docker",
            "run",
            "-e",
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        ),
        fits=(Habitat.DOCKER,),
    ),
    advise(
        "Give every pod a card, or a MIG slice, of its own", fits=(Habitat.KUBERNETES,)
    ),
)


@check("PDR950", "The GPU's memory is full")
def gpu_out_of_memory(log: Log, site: Site | None, /) -> Findings:
    """
    Find a full GPU, also behind errors of cuDNN and cuBLAS.

    ## Why it hurts

    The batch, the model, or another process needs more than the card has. cuDNN and
    cuBLAS, which need memory to start, then say only that they are not initialized.

    ## How it is judged

    torch says so, or a CUDA library could not start or find an algorithm; then it
    is likely, not certain.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/cuda.html
    - https://github.com/haotian-liu/LLaVA/issues/392
    """
    yield from told(
        log, site, "gpu_out_of_memory", "The memory of the GPU is full", *_REMEDIES
    )
