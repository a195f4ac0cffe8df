"""PDR946: A running container lost its GPUs."""

from pipedoctor.check import Remedy
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check

_DEVICES = ("--device=/dev/nvidia0", "--device=/dev/nvidiactl", "--device=/dev/nvidia-uvm")


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Where the log names the container, start that one again first."""
    name = log.names.get("entered", "")
    fits = (Launcher.BARE, Launcher.DOCKER)
    engine = log.names.get("engine", "docker")
    restart = advise_launch(f"Restart {name}", argv=(engine, "restart", name), fits=fits)
    later = "to prevent it permanently, list its devices or use CDI"
    return (
        *((restart,) if name else ()),
        advise_launch(
            f"Alternatively create it again: {later}"
            if name
            else f"Restart the container; {later}",
            argv=("docker", "run", "--gpus=all", *_DEVICES),
            fits=fits,
        ),
        advise_launch(
            "Restart the pod; to prevent it permanently, use CDI in the device plugin",
            argv=("kubectl", "rollout", "restart", "deployment/TRAIN"),
            fits=(Launcher.KUBERNETES,),
        ),
        advise_launch("Restart the job; ask for a newer container runtime", fits=(Launcher.SLURM,)),
    )


@log_check(
    "PDR946",
    "A running container lost its GPUs",
    summary="A reload of systemd removed the GPU devices from the running container",
    remedies=_choose_remedies,
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
