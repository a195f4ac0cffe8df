"""PDR966: WSL's libcuda is not found."""

from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR966",
    "WSL's libcuda is not found",
    summary=(
        "Under WSL the loader does not find the libcuda of the Windows "
        "driver, or finds another one first"
    ),
    remedies=(
        advise_launch(
            "Put WSL's libcuda first, and remove Linux driver packages",
            snippet="export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH",
            fits=(Launcher.BARE,),
        ),
        advise_launch(
            "Start the container with the NVIDIA container toolkit",
            argv=("docker", "run", "--gpus=all"),
            fits=(Launcher.DOCKER,),
        ),
    ),
)
def wsl_libcuda_not_found() -> None:
    """
    Find WSL systems whose loader finds no libcuda, or the wrong one.

    ## Why it hurts

    Under WSL the driver is that of Windows; its libcuda is in /usr/lib/wsl/lib. A Linux
    driver package puts another one before it.

    ## How it is judged

    libcuda could not be opened, or CUDA sees no device, under WSL.

    ## Sources

    - https://docs.nvidia.com/cuda/wsl-user-guide/index.html
    - https://github.com/NVIDIA/cuml/issues/6218
    """
