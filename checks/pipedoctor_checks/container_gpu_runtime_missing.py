"""PDR945: Docker has no NVIDIA runtime, or the cluster no GPUs to give."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        ("Install the toolkit on the host, then tell Docker and restart it"),
        argv=("sudo", "nvidia-ctk", "runtime", "configure", "--runtime=docker"),
        fits=(Habitat.DOCKER,),
    ),
    advise("Install the device plugin or the GPU operator", fits=(Habitat.KUBERNETES,)),
    advise(
        "Use the hooks of pyxis or enroot, or Apptainer with --nv",
        argv=("apptainer", "exec", "--nv", "IMAGE.sif", "COMMAND"),
        fits=(Habitat.SLURM,),
    ),
    advise(
        "Install the NVIDIA container toolkit",
        argv=("sudo", "nvidia-ctk", "runtime", "configure", "--runtime=docker"),
        fits=(Habitat.BARE,),
        place=Place.HERE,
    ),
)


@check("PDR945", "The container engine knows no NVIDIA runtime")
def container_gpu_runtime_missing(log: Log, site: Site | None, /) -> Findings:
    """
    Find a container engine that cannot hand out GPUs.

    ## Why it hurts

    Without the NVIDIA container toolkit the engine refuses to start the container
    with GPUs.

    ## How it is judged

    The engine, or Kubernetes, says that it has no such device or runtime.

    ## Sources

    - https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html
    - https://github.com/tonyyxliu/CUHKSZ-CSC4005/issues/5
    """
    yield from told(
        log,
        site,
        "container_gpu_runtime_missing",
        "Docker has no NVIDIA runtime, or the cluster no GPUs to give",
        *_REMEDIES,
    )
