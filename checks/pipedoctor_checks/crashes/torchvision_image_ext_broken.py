"""PDR952: torchvision's image extension cannot be loaded."""

from pipedoctor.check import Severity
from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR952",
    "torchvision's image extension cannot be loaded",
    summary="Torchvision's image extension does not fit torch, or lacks libjpeg or libpng",
    remedies=(
        advise_user(
            "Install matching versions of torch and torchvision",
            argv=("python", "-m", "pip", "install", "--upgrade", "torch", "torchvision"),
        ),
        advise_user(
            "With conda, install the image libraries",
            argv=("conda", "install", "-c", "conda-forge", "libjpeg-turbo", "libpng"),
            fits=(Launcher.BARE, Launcher.SLURM),
        ),
    ),
    severity=Severity.RISKS,
)
def torchvision_image_ext_broken() -> None:
    """
    Find a torchvision whose image reader did not load.

    ## Why it hurts

    `torchvision.io.read_image` fails later. Programs that read images only with Pillow
    are not affected.

    ## How it is judged

    torchvision warned that its image extension could not be loaded. Together with
    another error it is usually harmless.

    ## Sources

    - https://github.com/brycedrennan/imaginAIry/issues/295
    - https://github.com/pytorch/vision#installation
    """
