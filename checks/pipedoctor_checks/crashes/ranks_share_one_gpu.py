"""PDR963: two ranks use the same GPU."""

from pipedoctor.check import in_code
from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check

_SET_DEVICE = (
    in_code(
        "Set the GPU of every rank before anything else, and start the ranks with torchrun",
        'import os\n\ntorch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))',
    ),
    advise_launch(
        "Then start the ranks with torchrun, which sets LOCAL_RANK",
        argv=("torchrun", "--standalone", "--nproc-per-node=gpu", "train.py"),
    ),
)


@log_check(
    "PDR963",
    "Two ranks use one GPU",
    summary="Two ranks use the same GPU",
    remedies=(
        *_SET_DEVICE,
        advise_launch(
            "Request a GPU for every rank",
            snippet="resources:\n  limits:\n    nvidia.com/gpu: 2",
            fits=(Launcher.KUBERNETES,),
        ),
        advise_launch(
            "Request GPUs per node (with --gpus-per-task every task sees one GPU, with index 0)",
            argv=("sbatch", "--gpus-per-node=2"),
            fits=(Launcher.SLURM,),
        ),
        advise_launch(
            "Start the container with all GPUs",
            argv=("docker", "run", "--gpus=all"),
            fits=(Launcher.DOCKER,),
        ),
    ),
)
def ranks_share_one_gpu() -> None:
    """
    Find ranks that did not select their own GPU.

    ## Why it hurts

    Without `set_device` every rank uses the first GPU, and NCCL fails.

    ## How it is judged

    NCCL reports that two ranks are on one device.

    ## Sources

    - https://docs.pytorch.org/docs/stable/elastic/run.html
    - https://github.com/Peterande/D-FINE/issues/289
    """
