"""CUDA's own numbers for why it does not start, and what cures each."""

import re

from pipedoctor.remedy import Lasts, Place, Remedy

_ERROR = re.compile(r"Error (80[234])\b")
_CURES = {
    "802": (
        "the GPUs of this NVSwitch machine wait for their fabric manager (Error 802)",
        "Start the fabric manager of exactly the driver's version",
        ("systemctl", "enable", "--now", "nvidia-fabricmanager"),
    ),
    "803": (
        "the libcuda that is loaded does not belong to this driver (Error 803)",
        "Take the libcuda of another driver (cuda-compat) out of the loader's path",
        (),
    ),
    "804": (
        "a cuda-compat libcuda is loaded, which this card does not support (Error 804)",
        "Take cuda-compat out of the loader's path: only data-center cards run it",
        (),
    ),
}


def cure(said: str) -> tuple[str, Remedy | None]:
    """Read the number out of torch's words: the reason and its cure, or neither."""
    match = _ERROR.search(said)
    if match is None:
        return "", None
    reason, title, argv = _CURES[match[1]]
    return reason, _remedy(title, argv)


def _remedy(title: str, argv: tuple[str, ...]) -> Remedy:
    place = Place.HERE if argv else Place.LAUNCHER
    return Remedy(
        title=title,
        argv=argv,
        lasts=Lasts.ALWAYS,
        place=place,
        root=bool(argv),
        advice=True,
    )
