"""PDR948: The fabric manager is not running."""

from pipedoctor.check import Remedy
from pipedoctor.check.remedy_steps import as_step
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check

_START = ("sudo", "systemctl", "enable", "--now", "nvidia-fabricmanager")


_CAUSE = "fabric_manager_not_running"
_REPAIRED = frozenset({"versions-differ", "not-installed"})
"""Signatures of logs in which a start of what is installed fails again."""
_ELSEWHERE = (
    advise_launch("Start nvidia-fabricmanager on the host", argv=_START, fits=(Launcher.DOCKER,)),
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
)


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Install the driver's version first, where another one, or none, is there."""
    seen = log.find_ids(_CAUSE)
    driver = log.find_value(_CAUSE, "driver")
    start = advise_user(
        "Start nvidia-fabricmanager in exactly the driver's version",
        argv=_START,
        fits=(Launcher.BARE,),
    )
    if not driver or seen.isdisjoint(_REPAIRED):
        return (start, *_ELSEWHERE)
    words: tuple[str, ...] = ("dnf", "install", "-y", f"nvidia-fabric-manager-{driver}")
    if "red-hat" not in seen:
        package = f"nvidia-fabricmanager-{driver.partition('.')[0]}={driver}-*"
        words = ("apt-get", "install", "-y", "--allow-downgrades", package)
    install = advise_user(
        "Install the fabric manager of exactly the driver's version",
        argv=("sudo", *words),
        fits=(Launcher.BARE,),
    )
    restart = advise_user(
        "Start it", argv=("sudo", "systemctl", "restart", _START[-1]), fits=(Launcher.BARE,)
    )
    return (install, as_step(restart), *_ELSEWHERE)


@log_check(
    "PDR948",
    "The fabric manager is not running",
    summary=(
        "This machine has NVSwitches, and nvidia-fabricmanager is not running, or its version"
        " differs from the driver's"
    ),
    remedies=_choose_remedies,
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
