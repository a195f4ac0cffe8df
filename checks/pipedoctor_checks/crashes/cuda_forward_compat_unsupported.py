"""PDR947: the image's own libcuda does not support this GPU or this driver."""

from pipedoctor.check import Remedy
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor.versions import parse_version
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check

_USUAL = (11, 8)
_IMAGES = {
    (12, 6): "2.7.1-cuda12.6-cudnn9",
    (12, 4): "2.6.0-cuda12.4-cudnn9",
    (12, 1): "2.4.1-cuda12.1-cudnn9",
    (11, 8): "2.3.1-cuda11.8-cudnn8",
    (11, 6): "1.13.1-cuda11.6-cudnn8",
}
"""PyTorch's own images (https://hub.docker.com/r/pytorch/pytorch, 2026-11-26), by their CUDA."""


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """An image that needs no compatibility library: for the CUDA of the driver of the log."""
    told = log.find_value("cuda_forward_compat_unsupported", "cuda")
    tag = _find_image(told)
    image = f"pytorch/pytorch:{tag}-runtime"
    cuda = f"CUDA {told}" if told else "CUDA (11.8 runs with drivers from 450 on)"
    run = f'docker run --rm --gpus all -v "$PWD":/work -w /work {image} python train.py'
    return (
        advise_launch(
            f"Use an image for the driver's {cuda}, or update the host's driver",
            snippet=run,
            fits=(Launcher.DOCKER,),
        ),
        advise_launch(
            f"Use an image for the node's {cuda}, or update the node's driver",
            snippet=f"FROM {image}",
            fits=(Launcher.KUBERNETES,),
        ),
        advise_launch(
            f"Use an image for the node's {cuda}",
            snippet=f"apptainer exec --nv docker://{image} python train.py",
            fits=(Launcher.SLURM,),
        ),
        advise_user(
            "Update the driver, or remove the compat folder from the loader's path",
            snippet="unset LD_LIBRARY_PATH",
            fits=(Launcher.BARE,),
        ),
    )


def _find_image(cuda: str) -> str:
    """Of this CUDA; of the oldest that such drivers run, where the log does not name it."""
    known = parse_version(cuda)[:2] if cuda else _USUAL
    return next((tag for least, tag in _IMAGES.items() if known >= least), _IMAGES[_USUAL])


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
