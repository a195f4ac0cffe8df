"""PDR946: A running container lost its GPUs."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        ("Restart the container; for good, name its devices or use CDI"),
        argv=(
            "docker",
            "run",
            "--gpus=all",
            "--device=/dev/nvidia0",
            "--device=/dev/nvidiactl",
            "--device=/dev/nvidia-uvm",
        ),
        fits=(Habitat.BARE, Habitat.DOCKER),
    ),
    advise(
        "Restart the pod; for good, use CDI in the device plugin",
        fits=(Habitat.KUBERNETES,),
    ),
    advise("Restart the job; ask for a newer container runtime", fits=(Habitat.SLURM,)),
)


@check("PDR946", "A running container lost its GPUs")
def container_lost_gpu_cgroup(log: Log, site: Site | None, /) -> Findings:
    """
    Find a container that could see its GPUs until systemd reloaded.

    ## Why it hurts

    With the systemd cgroup driver a `systemctl daemon-reload` writes the device
    rules of containers anew, without the GPUs that the NVIDIA runtime had added
    behind its back.

    ## How it is judged

    NVML answers `Unknown Error`, which is not the mismatch of versions.

    ## Sources

    - https://github.com/NVIDIA/nvidia-container-toolkit/issues/48
    - https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html
    """
    yield from told(
        log,
        site,
        "container_lost_gpu_cgroup",
        ("A reload of systemd took the GPU devices away from the running container"),
        *_REMEDIES,
    )
