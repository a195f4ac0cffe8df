"""PDR951: a cuDNN library that the program wants is not on the loader's path."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        "Install the wheel of the wanted major version",
        argv=("python", "-m", "pip", "install", "nvidia-cudnn-cu12"),
        place=Place.HERE,
    ),
    advise(
        "Take an image with cuDNN",
        fits=(
            Habitat.DOCKER,
            Habitat.KUBERNETES,
        ),
    ),
    advise("Load the module", argv=("module", "load", "cudnn"), fits=(Habitat.SLURM,)),
)


@check("PDR951", "A cuDNN library is not found")
def cudnn_library_not_found(log: Log, site: Site | None, /) -> Findings:
    """
    Find cuDNN libraries that the loader does not find.

    ## Why it hurts

    torch brings its own cuDNN. Other programs (onnxruntime, ctranslate2) look for
    one of a certain major version on the loader's path.

    ## How it is judged

    The loader names a cuDNN file that it cannot open.

    ## Sources

    - https://github.com/daswer123/xtts-finetune-webui/issues/31
    - https://docs.nvidia.com/deeplearning/cudnn/latest/
    """
    yield from told(
        log,
        site,
        "cudnn_library_not_found",
        "A cuDNN library that the program wants is not on the loader's path",
        *_REMEDIES,
    )
