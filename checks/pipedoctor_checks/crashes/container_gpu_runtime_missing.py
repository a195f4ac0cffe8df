"""PDR945: Docker has no NVIDIA runtime, or the cluster has no GPUs to allocate."""

from pipedoctor.check import Remedy
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check

_HOST = (Launcher.BARE, Launcher.DOCKER)
_PAGES = "https://nvidia.github.io/libnvidia-container"
_MANIFEST = (
    "https://raw.githubusercontent.com/NVIDIA/k8s-device-plugin/v0.17.1/deployments/static"
    "/nvidia-device-plugin.yml"
)
_KEY = "/usr/share/keyrings/nvidia-container-toolkit-keyring.gpg"
_LIST = "nvidia-container-toolkit.list"
_LISTS = "/etc/apt/sources.list.d"
_SIGNED = f"s#deb https://#deb [signed-by={_KEY}] https://#"
_INSTALL = "\n".join(
    (
        f"curl -fsSL {_PAGES}/gpgkey | sudo gpg --dearmor --yes -o {_KEY}",
        f"curl -fsSL {_PAGES}/stable/deb/{_LIST} | sed '{_SIGNED}' | sudo tee {_LISTS}/{_LIST}",
        "sudo apt-get update",
        "sudo apt-get install -y nvidia-container-toolkit",
    )
)
_INSTALL_TOOLKIT = (
    advise_launch(
        "On the host, install the NVIDIA container toolkit from its package repository"
        " (this is for Debian and Ubuntu)",
        snippet=_INSTALL,
        fits=_HOST,
    ),
    advise_launch(
        "Then let Docker use it",
        argv=("sudo", "nvidia-ctk", "runtime", "configure", "--runtime=docker"),
        fits=_HOST,
    ),
    advise_launch(
        "Then restart Docker",
        argv=("sudo", "systemctl", "restart", "docker"),
        fits=_HOST,
    ),
)

_PLUGIN = advise_launch(
    "Install NVIDIA's device plugin, or the GPU operator",
    argv=("kubectl", "create", "-f", _MANIFEST),
    fits=(Launcher.KUBERNETES,),
)
_CAUSE = "container_gpu_runtime_missing"
_DESCRIBE_DEVICES = (
    advise_launch(
        "Describe the GPUs for Podman, which takes them by CDI",
        argv=("sudo", "nvidia-ctk", "cdi", "generate", "--output=/etc/cdi/nvidia.yaml"),
        fits=_HOST,
    ),
    advise_launch(
        "Then name them in place of --gpus",
        argv=("podman", "run", "--device", "nvidia.com/gpu=all"),
        fits=_HOST,
    ),
)
_LEAVE_SNAP = advise_launch(
    "Replace the Docker of snap, which sees no NVIDIA runtime, by that of docker.com",
    snippet="sudo snap remove docker\ncurl -fsSL https://get.docker.com | sudo sh",
    fits=_HOST,
)
_NV = ("apptainer", "exec", "--nv", "IMAGE.sif", "COMMAND")


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Apptainer needs no toolkit but its own option."""
    if "apptainer" in log.names:
        return (advise_launch("Let Apptainer bring the driver into the container", argv=_NV),)
    seen = log.find_ids(_CAUSE)
    if "podman-gpus" in seen:
        return (*_DESCRIBE_DEVICES, *_INSTALL_TOOLKIT[:1])
    if "of-snap" in seen:
        return (_LEAVE_SNAP, *_INSTALL_TOOLKIT)
    title = "Use the hooks of pyxis or enroot, or Apptainer with --nv"
    return (*_INSTALL_TOOLKIT, _PLUGIN, advise_launch(title, argv=_NV, fits=(Launcher.SLURM,)))


@log_check(
    "PDR945",
    "The container engine has no NVIDIA runtime",
    summary="Docker has no NVIDIA runtime, or the cluster has no GPUs to allocate",
    remedies=_choose_remedies,
)
def container_gpu_runtime_missing() -> None:
    """
    Find a container engine that cannot provide GPUs.

    ## Why it hurts

    Without the NVIDIA container toolkit the engine refuses to start the container
    with GPUs.

    ## How it is judged

    The engine or Kubernetes reports that it has no such device or runtime.

    ## Sources

    - https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html
    - https://github.com/tonyyxliu/CUHKSZ-CSC4005/issues/5
    """
