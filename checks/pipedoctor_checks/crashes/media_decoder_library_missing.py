"""PDR955: No library can decode this audio or video."""

from pipedoctor.check import Remedy
from pipedoctor.facts import Launcher
from pipedoctor.facts.log import Log
from pipedoctor.versions import get_series
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "media_decoder_library_missing"
_FITTING = {
    "2.4": "0.0.3",
    "2.5": "0.1.*",
    "2.6": "0.2.*",
    "2.7": "0.5.*",
    "2.8": "0.7.*",
    "2.9": "0.9.*",
    "2.10": "0.10.*",
}
"""The last torchcodec for each torch, as its README says; later ones take any torch from 2.11."""
_LIBRARIES = (
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
    advise_user(
        "Alternatively decode audio with soundfile",
        argv=("python", "-m", "pip", "install", "soundfile"),
    ),
)
_SOUNDFILE = advise_user(
    "Install soundfile, with which torchaudio reads and writes this kind of file",
    argv=("python", "-m", "pip", "install", "soundfile"),
)


def _list_libraries(log: Log) -> tuple[Remedy, ...]:
    """From conda-forge first where its Python runs, in a version that torchcodec takes."""
    taken = [int(number) for number in log.find_values(_CAUSE, "ffmpeg")]
    ffmpeg = f"ffmpeg<{max(taken) + 1}" if taken else "ffmpeg"
    of_conda = not {"conda", "conda_environment"}.isdisjoint(log.names)
    leads = of_conda and (not log.place or log.names.get("account") == "guest")
    forge = advise_launch(
        f"{'Install' if leads else 'Alternatively install'} the missing libraries from"
        " conda-forge, without root",
        argv=("conda", "install", "--yes", "-c", "conda-forge", ffmpeg, "libsndfile"),
    )
    *libraries, soundfile = _LIBRARIES
    return (forge, *_LIBRARIES) if leads else (*libraries, forge, soundfile)


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Where FFmpeg is there, and torchcodec does not fit torch, another torchcodec."""
    seen = log.find_ids(_CAUSE)
    if "audio-file" in seen:
        return (_SOUNDFILE, *_list_libraries(log))
    missing = "codec-missing" in seen
    if "codec-mismatch" not in seen and not missing:
        return _list_libraries(log)
    torch = log.find_value(_CAUSE, "torch") or log.versions.get("torch", "").partition("+")[0]
    series = get_series(torch) if torch else ""
    install = ("python", "-m", "pip", "install", "--upgrade")
    if missing and not series:
        title = "Install torchcodec, with which torchaudio decodes since 2.9"
        return advise_user(title, argv=(*install[:-1], "torchcodec")), *_list_libraries(log)
    if not series:
        return (
            advise_user(
                "Install torch and torchcodec together: this torchcodec is for another torch",
                argv=(*install, "torch", "torchvision", "torchaudio", "torchcodec"),
            ),
        )
    wanted = _FITTING.get(series)
    name = f"torchcodec=={wanted}" if wanted else "torchcodec"
    title = f"Install the torchcodec that was built for torch {series}"
    title += "" if missing else ": FFmpeg is there"
    return advise_user(
        title, argv=(*install[:-1], name) if wanted else (*install, name)
    ), *_list_libraries(log)


@log_check(
    "PDR955",
    "No library can decode this audio or video",
    summary="FFmpeg or libsndfile is missing, or torchcodec does not fit this torch",
    remedies=_choose_remedies,
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
