"""PDR947: the image's own libcuda does not support this GPU or this driver."""

from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR947",
    "The image's CUDA compatibility libraries do not support the GPU or driver",
    summary="The image's own libcuda does not support this GPU or this driver",
    remedies=(
        advise_launch(
            "Use an image for the driver's CUDA, or update the host's driver",
            fits=(Launcher.DOCKER,),
        ),
        advise_launch(
            "Use an image for the node's CUDA, or update the node's driver",
            fits=(Launcher.KUBERNETES,),
        ),
        advise_launch("Use an image for the node's CUDA", fits=(Launcher.SLURM,)),
        advise_user(
            "Update the driver, or remove the compat folder from the loader's path",
            snippet="unset LD_LIBRARY_PATH",
            fits=(Launcher.BARE,),
        ),
    ),
)
def cuda_forward_compat_unsupported() -> None:
    """
    Find CUDA errors 803 and 804.

    ## Why it hurts

    An image for a newer CUDA contains its own `libcuda` (`cuda-compat`). It works only
    on data-center GPUs with certain drivers; elsewhere CUDA does not start.

    ## How it is judged

    CUDA reports error 804 or 803. After a driver upgrade without a reboot, 803
    indicates that; then NVML reports a mismatch as well.

    ## Sources

    - https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html
    - https://github.com/oobabooga/textgen/issues/4407
    """
