"""PDR955: No library decodes this audio or video."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        "Install them",
        argv=("apt-get", "install", "-y", "ffmpeg", "libsndfile1"),
        fits=(
            Habitat.BARE,
            Habitat.DOCKER,
            Habitat.KUBERNETES,
        ),
        place=Place.HERE,
    ),
    advise(
        "Load a module, or take them of conda-forge",
        argv=("conda", "install", "-c", "conda-forge", "ffmpeg"),
        fits=(Habitat.SLURM,),
    ),
    advise(
        "Or decode audio with soundfile",
        argv=("python", "-m", "pip", "install", "soundfile"),
        place=Place.HERE,
    ),
)


@check("PDR955", "No library decodes this audio or video")
def media_decoder_library_missing(log: Log, site: Site | None, /) -> Findings:
    """
    Find torchcodec, torchaudio or others without FFmpeg or libsndfile.

    ## Why it hurts

    torchcodec loads the FFmpeg libraries of the system, and one build of it fits
    one torch; others want libsndfile.

    ## How it is judged

    The package says that it could not load FFmpeg, or found no backend.

    ## Sources

    - https://github.com/meta-pytorch/torchcodec/issues/795
    - https://github.com/meta-pytorch/torchcodec#installing-torchcodec
    """
    yield from told(
        log,
        site,
        "media_decoder_library_missing",
        ("FFmpeg or libsndfile is missing, or torchcodec does not fit this torch"),
        *_REMEDIES,
    )
