"""PDR948: The fabric manager is not running."""

from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check

_START = ("sudo", "systemctl", "enable", "--now", "nvidia-fabricmanager")


@log_check(
    "PDR948",
    "The fabric manager is not running",
    summary=(
        "This machine has NVSwitches, and nvidia-fabricmanager is not running, or its version"
        " differs from the driver's"
    ),
    remedies=(
        advise_user(
            "Start nvidia-fabricmanager in exactly the driver's version",
            argv=_START,
            fits=(Launcher.BARE,),
        ),
        advise_launch(
            "Start nvidia-fabricmanager on the host", argv=_START, fits=(Launcher.DOCKER,)
        ),
        advise_launch(
            "Start nvidia-fabricmanager on the node, or let the GPU operator do so",
            argv=("ssh", "NODE", *_START),
            fits=(Launcher.KUBERNETES,),
        ),
        advise_launch(
            "Submit to other nodes, and ask the cluster administrators to start it on this one",
            argv=("sbatch", "--exclude=NODE"),
            fits=(Launcher.SLURM,),
        ),
    ),
)
def fabric_manager_not_running() -> None:
    """
    Find NVSwitch machines on which CUDA is not initialized.

    ## Why it hurts

    On machines with NVSwitch the GPUs work only while nvidia-fabricmanager runs in
    exactly the driver's version.

    ## How it is judged

    CUDA reports error 802, `system not yet initialized`.

    ## Sources

    - https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html
    - https://github.com/gpustack/gpustack/issues/1254
    """
