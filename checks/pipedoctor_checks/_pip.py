"""Lines for the installer that owns the examined environment; printed, never run."""

from pipedoctor.facts import Interpreter
from pipedoctor.remedy import Lasts, Remedy

WEIGHTY = frozenset(
    (
        "numpy",
        "nvidia-ml-py",
        "opencv-contrib-python",
        "opencv-contrib-python-headless",
        "opencv-python",
        "opencv-python-headless",
        "pillow",
        "pillow-simd",
        "pynvml",
        "torch",
        "torchaudio",
        "torchcodec",
        "torchdata",
        "torchvision",
    )
)
"""The packages that a data pipeline stands on."""


def argv(place: Interpreter | None, *words: str) -> tuple[str, ...]:
    """
    `pip WORDS` for the examined interpreter, or uv's where uv made it.

    The pip of a system's Python refuses: there it is that of the virtual environment.
    """
    own = place is None or place.externally_managed
    python = (place.executable if place and not own else "") or "python"
    if place is not None and place.manager == "uv":
        return ("uv", "pip", words[0], "--python", python, *words[1:])
    return (python, "-m", "pip", *words)


def install(place: Interpreter | None, title: str, *names: str) -> Remedy:
    """Install these requirements into the examined environment."""
    return _remedy(place, title, argv(place, "install", *names))


def uninstall(place: Interpreter | None, title: str, *names: str) -> Remedy:
    """Remove these distributions from the examined environment."""
    uv = place is not None and place.manager == "uv"
    return _remedy(
        place, title, argv(place, "uninstall", *([] if uv else ["-y"]), *names)
    )


def reinstall(place: Interpreter | None, title: str, *names: str) -> Remedy:
    """Install again what is there, so that its own files are in place."""
    again = "--reinstall" if place and place.manager == "uv" else "--force-reinstall"
    return _remedy(place, title, argv(place, "install", again, "--no-deps", *names))


def _remedy(place: Interpreter | None, title: str, line: tuple[str, ...]) -> Remedy:
    if place is not None and place.externally_managed:
        title += ", in a virtual environment: this Python is the system's"
    return Remedy(title=title, argv=line, lasts=Lasts.ALWAYS, advice=True)
