"""PDR952: torchvision's image extension cannot be loaded."""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        "Install torch and torchvision that belong together",
        argv=("python", "-m", "pip", "install", "--upgrade", "torch", "torchvision"),
        place=Place.HERE,
    ),
    advise(
        "With conda, bring the image libraries",
        argv=("conda", "install", "-c", "conda-forge", "libjpeg-turbo", "libpng"),
        fits=(
            Habitat.BARE,
            Habitat.SLURM,
        ),
        place=Place.HERE,
    ),
)


@check("PDR952", "torchvision's image extension cannot be loaded")
def torchvision_image_ext_broken(log: Log, site: Site | None, /) -> Findings:
    """
    Find a torchvision whose image reader did not load.

    ## Why it hurts

    `torchvision.io.read_image` fails later. Who reads images with Pillow alone is
    not hurt.

    ## How it is judged

    torchvision warned that its image extension could not be loaded. Beside another
    error it is mostly harmless.

    ## Sources

    - https://github.com/brycedrennan/imaginAIry/issues/295
    - https://github.com/pytorch/vision#installation
    """
    yield from told(
        log,
        site,
        "torchvision_image_ext_broken",
        (
            "Torchvision's image extension does not fit torch, or lacks libjpeg "
            "or libpng"
        ),
        *_REMEDIES,
        severity=Severity.RISKS,
    )
