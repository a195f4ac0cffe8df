"""PDR947: the image's own libcuda does not support this GPU or this driver."""

from pipedoctor.check import Remedy
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor.versions import parse_version
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "cuda_forward_compat_unsupported"
_USUAL = (11, 8)
_IMAGES = {
    (12, 6): ("2.7.1-cuda12.6-cudnn9", 560),
    (12, 4): ("2.6.0-cuda12.4-cudnn9", 550),
    (12, 1): ("2.4.1-cuda12.1-cudnn9", 530),
    (11, 8): ("2.3.1-cuda11.8-cudnn8", 520),
    (11, 6): ("1.13.1-cuda11.6-cudnn8", 510),
}
"""
By CUDA, newest first: PyTorch's own image, and the first driver of that CUDA.

Images: https://hub.docker.com/r/pytorch/pytorch, 2026-11-26. Drivers:
https://docs.nvidia.com/cuda/cuda-toolkit-release-notes.
"""


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """An image that needs no compatibility library: for the CUDA of the driver of the log."""
    told = log.find_value(_CAUSE, "cuda")
    driver = log.find_value(_CAUSE, "driver")
    tag = _find_image(told, int(driver or 0))
    image = f"pytorch/pytorch:{tag}-runtime"
    known = bool(told or driver)
    cuda = tag.split("-cuda")[1][:4] if known else "11.8 runs with drivers from 450 on"
    run = f'docker run --rm --gpus all -v "$PWD":/work -w /work {image} python train.py'
    return (
        advise_launch(
            f"Use an image for a CUDA that the driver runs ({cuda}), or update the host's driver",
            snippet=run,
            fits=(Launcher.DOCKER,),
        ),
        advise_launch(
            f"Use an image for a CUDA that the node runs ({cuda}), or update the node's driver",
            snippet=f"FROM {image}",
            fits=(Launcher.KUBERNETES,),
        ),
        advise_launch(
            f"Use an image for a CUDA that the node runs ({cuda})",
            snippet=f"apptainer exec --nv docker://{image} python train.py",
            fits=(Launcher.SLURM,),
        ),
        advise_user(
            "Update the driver, or remove the compat folder from the loader's path",
            snippet="unset LD_LIBRARY_PATH",
            fits=(Launcher.BARE,),
        ),
    )


def _find_image(cuda: str, driver: int) -> str:
    """
    For this driver: what nvidia-smi says of its CUDA is that of the library in the image.

    Where the log does not name it, of the oldest CUDA that such drivers run.
    """
    known = parse_version(cuda)[:2] if cuda else _USUAL
    if driver:
        known = next((cuda for cuda, (_, least) in _IMAGES.items() if driver >= least), _USUAL)
    return next((tag for cuda, (tag, _) in _IMAGES.items() if known >= cuda), _IMAGES[_USUAL][0])


@log_check(
    "PDR947",
    "The image's CUDA compatibility libraries do not support the GPU or driver",
    summary="The image's own libcuda does not support this GPU or this driver",
    remedies=_choose_remedies,
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
