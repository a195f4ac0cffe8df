"""PDR955: No library can decode this audio or video."""

from pipedoctor.facts import Launcher
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR955",
    "No library can decode this audio or video",
    summary="FFmpeg or libsndfile is missing, or torchcodec does not fit this torch",
    remedies=(
        advise_user(
            "Install the missing libraries",
            argv=("apt-get", "install", "-y", "ffmpeg", "libsndfile1"),
            fits=(Launcher.BARE,),
            root=True,
        ),
        advise_launch(
            "Install the missing libraries in the image",
            snippet="RUN apt-get update && apt-get install -y ffmpeg libsndfile1",
            fits=(Launcher.DOCKER, Launcher.KUBERNETES),
        ),
        advise_launch(
            "Alternatively install them from conda-forge, without root",
            argv=("conda", "install", "-c", "conda-forge", "ffmpeg", "libsndfile"),
        ),
        advise_user(
            "Alternatively decode audio with soundfile",
            argv=("python", "-m", "pip", "install", "soundfile"),
        ),
    ),
)
def media_decoder_library_missing() -> None:
    """
    Find torchcodec, torchaudio or similar packages without FFmpeg or libsndfile.

    ## Why it hurts

    torchcodec loads the FFmpeg libraries of the system, and each build of it supports
    one torch; other packages need libsndfile.

    ## How it is judged

    The package reports that it could not load FFmpeg, or found no backend.

    ## Sources

    - https://github.com/meta-pytorch/torchcodec/issues/795
    - https://github.com/meta-pytorch/torchcodec#installing-torchcodec
    """
