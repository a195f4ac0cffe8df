"""PDR948: The fabric manager does not run."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        "Start it; its version must be the driver's",
        argv=("sudo", "systemctl", "enable", "--now", "nvidia-fabricmanager"),
        fits=(Habitat.BARE,),
        place=Place.HERE,
    ),
    advise("Start nvidia-fabricmanager on the host", fits=(Habitat.DOCKER,)),
    advise(
        "Start nvidia-fabricmanager on the node, or let the GPU operator do so",
        fits=(Habitat.KUBERNETES,),
    ),
    advise(
        "Ask the cluster's administrators: the node needs it", fits=(Habitat.SLURM,)
    ),
)


@check("PDR948", "The fabric manager does not run")
def fabric_manager_not_running(log: Log, site: Site | None, /) -> Findings:
    """
    Find NVSwitch machines on which CUDA is not initialized.

    ## Why it hurts

    On machines with NVSwitch the GPUs can be used only when nvidia-fabricmanager of
    exactly the driver's version runs.

    ## How it is judged

    CUDA reports error 802, `system not yet initialized`.

    ## Sources

    - https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html
    - https://github.com/gpustack/gpustack/issues/1254
    """
    yield from told(
        log,
        site,
        "fabric_manager_not_running",
        (
            "This machine has NVSwitches, and nvidia-fabricmanager does not run, "
            "or in another version than the driver"
        ),
        *_REMEDIES,
    )
