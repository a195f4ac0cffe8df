"""PDR946: A running container lost its GPUs."""

from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR946",
    "A running container lost its GPUs",
    summary="A reload of systemd removed the GPU devices from the running container",
    remedies=(
        advise_launch(
            "Restart the container; to prevent it permanently, list its devices or use CDI",
            argv=(
                "docker",
                "run",
                "--gpus=all",
                "--device=/dev/nvidia0",
                "--device=/dev/nvidiactl",
                "--device=/dev/nvidia-uvm",
            ),
            fits=(Launcher.BARE, Launcher.DOCKER),
        ),
        advise_launch(
            "Restart the pod; to prevent it permanently, use CDI in the device plugin",
            fits=(Launcher.KUBERNETES,),
        ),
        advise_launch("Restart the job; ask for a newer container runtime", fits=(Launcher.SLURM,)),
    ),
)
def container_lost_gpu_cgroup() -> None:
    """
    Find a container that could see its GPUs until systemd reloaded.

    ## Why it hurts

    With the systemd cgroup driver, `systemctl daemon-reload` writes the device rules of
    containers again, without the GPUs that the NVIDIA runtime had added without
    systemd's knowledge.

    ## How it is judged

    NVML returns `Unknown Error`, which is different from a version mismatch.

    ## Sources

    - https://github.com/NVIDIA/nvidia-container-toolkit/issues/48
    - https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html
    """
