"""PDR954: the code or a library uses a name that this Pillow no longer has."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.crashes._log_check import log_check

_SUCCESSORS = {
    "ANTIALIAS": "Image.LANCZOS",
    "LINEAR": "Image.BILINEAR",
    "CUBIC": "Image.BICUBIC",
    "PILLOW_VERSION": "PIL.__version__",
    "VERSION": "PIL.__version__",
    "getsize": "font.getbbox(text)[2:]",
    "textsize": "draw.textbbox((0, 0), text, font=font)[2:]",
}
"""What replaces a name, in every Pillow from 8 on."""
_NEW_NAMES = frozenset(("Resampling", "Transpose", "Transform", "Palette", "Quantize", "Dither"))
"""Names that only Pillow 9.1 and newer have."""
_DISTRIBUTIONS = {"skimage": "scikit-image", "mmcv": "mmcv", "cv2": "opencv-python"}
_UPDATE_BOTH = "Alternatively update torchvision, which uses the name, with its torch"
_LOADERS = frozenset(("torch", "multiprocessing", "PIL"))
"""Where a traceback of a worker ends if the line of the user's code is cut out."""


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Change the line that uses the name: the user's own, or that of a library."""
    name = log.find_value("pillow_api_removed", "name")
    if name in _NEW_NAMES:
        return (_install("Install a Pillow that has the name", "--upgrade", "pillow>=9.1"),)
    raised = next((one for one in log.raised if name in one.message), None)
    library = raised.library if raised else ""
    older = "pillow<7" if name == "PILLOW_VERSION" else "pillow<10"
    keep = _install(f"Alternatively keep an older Pillow ({older})", older)
    if library == "torchvision":  # another torchvision would bring another torch
        older_first = _install(f"Install an older Pillow ({older})", older)
        return (older_first, _install(_UPDATE_BOTH, "--upgrade", "torch", "torchvision"))
    if library and library not in _LOADERS:
        found = _DISTRIBUTIONS.get(library, library.replace("_", "-"))
        title = f"Update {found}, which uses the name"
        return (_install(title, "--upgrade", found), keep)
    return (_replace_name(name, log), keep)


def _replace_name(name: str, log: Log) -> Remedy:
    own = next((one.own for one in log.raised if one.own and name in one.message), None)
    where = f" in {own.path}, line {own.line}" if own and own.line else " where the code uses it"
    if name not in _SUCCESSORS:
        return in_code(f"Replace the removed name{where}: Pillow's page on deprecations lists it")
    return in_code(f"Replace {name}{where}", f"{_SUCCESSORS[name]}  # instead of {name}")


def _install(title: str, *words: str) -> Remedy:
    return advise_user(title, argv=("python", "-m", "pip", "install", *words))


@log_check(
    "PDR954",
    "The code uses names that were removed from Pillow",
    summary="The code or a library uses a name that this Pillow no longer has",
    remedies=_choose_remedies,
)
def pillow_api_removed() -> None:
    """
    Find code that is older than the installed Pillow.

    ## Why it hurts

    Pillow removed `ANTIALIAS` and `getsize` in version 10 and `PILLOW_VERSION` in
    version 7.

    ## How it is judged

    Python reports that a name is missing in a module or an object of Pillow.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/deprecations.html
    - https://github.com/xingyizhou/CenterNet/issues/695
    """
