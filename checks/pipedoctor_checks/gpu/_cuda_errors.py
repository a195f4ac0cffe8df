"""CUDA error numbers for failed initialization, and a remedy for each."""

from pipedoctor.check import Place, Remedy
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.advice import advise_user

_CUDA_ERROR = compile_lazily(r"Error (80[234])\b")
_ERROR_REMEDIES = {
    "802": (
        "the GPUs of this NVSwitch machine wait for their fabric manager (Error 802)",
        "Start the fabric manager whose version matches the driver exactly",
        ("systemctl", "enable", "--now", "nvidia-fabricmanager"),
    ),
    "803": (
        "the libcuda that is loaded does not belong to this driver (Error 803)",
        "Remove the libcuda of another driver (cuda-compat) from the loader's path",
        (),
    ),
    "804": (
        "a cuda-compat libcuda is loaded, which this GPU does not support (Error 804)",
        "Remove cuda-compat from the loader's path: only data-center GPUs support it",
        (),
    ),
}


def find_cuda_error(messages: str) -> tuple[str, Remedy | None]:
    """Find a CUDA error number in torch's messages: its reason and remedy."""
    match = _CUDA_ERROR.search(messages)
    if match is None:
        return "", None
    reason, title, argv = _ERROR_REMEDIES[match[1]]
    return reason, _make_remedy(title, argv)


def _make_remedy(title: str, argv: tuple[str, ...]) -> Remedy:
    place = Place.HERE if argv else Place.LAUNCHER
    return advise_user(title, argv=argv, root=bool(argv), place=place)
