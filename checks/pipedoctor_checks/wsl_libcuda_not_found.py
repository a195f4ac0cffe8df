"""PDR966: WSL's libcuda is not found."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        "Put it first, and remove driver packages of Linux",
        snippet="export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH",
        fits=(Habitat.BARE,),
    ),
    advise(
        "With the NVIDIA container toolkit",
        argv=("docker", "run", "--gpus=all"),
        fits=(Habitat.DOCKER,),
    ),
)


@check("PDR966", "WSL's libcuda is not found")
def wsl_libcuda_not_found(log: Log, site: Site | None, /) -> Findings:
    """
    Find WSL systems whose loader finds no libcuda, or the wrong one.

    ## Why it hurts

    Under WSL the driver is that of Windows; its libcuda lies in /usr/lib/wsl/lib. A
    driver package of Linux puts another one before it.

    ## How it is judged

    libcuda could not be opened, or CUDA sees no device, under WSL.

    ## Sources

    - https://docs.nvidia.com/cuda/wsl-user-guide/index.html
    - https://github.com/NVIDIA/cuml/issues/6218
    """
    yield from told(
        log,
        site,
        "wsl_libcuda_not_found",
        (
            "Under WSL the loader does not find the libcuda of the Windows "
            "driver, or finds another one first"
        ),
        *_REMEDIES,
    )
