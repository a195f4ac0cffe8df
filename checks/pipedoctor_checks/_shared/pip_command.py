"""Command lines for the installer that owns the examined environment; printed, never run."""

from msgspec.structs import replace

from pipedoctor.check import Remedy
from pipedoctor.facts import Interpreter, Packages
from pipedoctor_checks._shared.advice import advise_user

CORE_PACKAGES = frozenset(
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
"""The packages that a data pipeline depends on."""


def pip_argv(place: Interpreter | None, *words: str) -> tuple[str, ...]:
    """
    `pip WORDS` for the examined interpreter, or uv's if uv created the environment.

    The pip of a system's Python refuses to install: then it is that of a virtual
    environment.
    """
    own = place is None or place.externally_managed
    python = (place.executable if place and not own else "") or "python"
    if place is not None and place.manager == "uv":
        return ("uv", "pip", words[0], "--python", python, *words[1:])
    return (python, "-m", "pip", *words)


def pin_version(packages: Packages | None, name: str) -> str:
    """The requirement for the version that is installed now, as the index names it."""
    entry = packages.find(name) if packages else None
    version = entry.version.partition("+")[0] if entry else ""
    return f"{name}=={version}" if version else name


def install(place: Interpreter | None, title: str, *names: str) -> Remedy:
    """Install these requirements into the examined environment."""
    return _make_remedy(place, title, pip_argv(place, "install", *names))


def uninstall(place: Interpreter | None, title: str, *names: str) -> Remedy:
    """Remove these distributions from the examined environment."""
    uv = place is not None and place.manager == "uv"
    return _make_remedy(place, title, pip_argv(place, "uninstall", *([] if uv else ["-y"]), *names))


def uninstall_copies(place: Interpreter | None, name: str, count: int) -> tuple[Remedy, ...]:
    """Remove all copies of a distribution: the installer removes one at a time."""
    if count < 2:  # noqa: PLR2004  (one line removes it)
        return (uninstall(place, f"Remove {name}", name),)
    first = uninstall(place, f"Remove {name}: the first of {count} copies", name)
    titles = ["Then remove the next copy"] * (count - 2) + ["Then remove the last copy"]
    return (first, *(replace(first, title=title) for title in titles))


def reinstall(place: Interpreter | None, title: str, *names: str) -> Remedy:
    """Install the same distributions again, so that their own files are restored."""
    again = "--reinstall" if place and place.manager == "uv" else "--force-reinstall"
    return _make_remedy(place, title, pip_argv(place, "install", again, "--no-deps", *names))


def _make_remedy(place: Interpreter | None, title: str, line: tuple[str, ...]) -> Remedy:
    if place is not None and place.externally_managed:
        title += ", in a virtual environment, because this is the system Python"
    return advise_user(title, argv=line)
