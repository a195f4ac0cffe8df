"""How every rank gets its own GPU: in the code, by its launcher and in its place."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch

_TWO_GPUS = (
    '{"spec":{"template":{"spec":{"containers":'
    '[{"name":"train","resources":{"limits":{"nvidia.com/gpu":"2"}}}]}}}}'
)
START_RANKS = advise_launch(
    "Then start the ranks with torchrun, which sets LOCAL_RANK",
    argv=("torchrun", "--standalone", "--nproc-per-node=gpu", "train.py"),
)
ALL_GPUS = advise_launch(
    "Start the container with all GPUs",
    argv=("docker", "run", "--gpus=all"),
    fits=(Launcher.DOCKER,),
)


def set_device(title: str) -> Remedy:
    """Each rank selects the GPU of its number."""
    return in_code(
        title, 'import os\n\ntorch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))'
    )


def request_gpus(for_pod: str, for_node: str) -> tuple[Remedy, ...]:
    """More GPUs, under the titles for Kubernetes and for Slurm."""
    return (
        advise_launch(
            for_pod,
            argv=("kubectl", "patch", "deployment", "TRAIN", "--patch", _TWO_GPUS),
            snippet="resources:\n  limits:\n    nvidia.com/gpu: 2",
            fits=(Launcher.KUBERNETES,),
        ),
        advise_launch(
            for_node,
            argv=("sbatch", "--gpus-per-node=2"),
            fits=(Launcher.SLURM,),
        ),
    )
