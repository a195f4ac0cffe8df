"""On Windows the default index has torch for the CPU alone: remedies name the one with CUDA."""

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy

_INDEX = "https://download.pytorch.org/whl/"
_DEFAULT_BUILD = "cu126"
"""Runs with every driver of CUDA 12; PyPI's torch for Windows is the one of ``/whl/cpu``."""
_FAMILY = frozenset({"torch", "torchvision", "torchaudio"})
_CHOSEN = frozenset({"--index-url", "--extra-index-url", "-i", "-f"})
_INSTALLS: Sequence[tuple[str, ...]] = (
    ("python", "-m", "pip", "install"),
    ("uv", "pip", "install"),
)


def name_cuda_index(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    """
    The same installation of torch from the index of its build, `names` ``torch_build``.

    Packages of others come from the default index still.
    """
    build = names.get("torch_build", _DEFAULT_BUILD)
    start = next((one for one in _INSTALLS if remedy.argv[: len(one)] == one), None)
    if start is None or not build.startswith("cu") or not _CHOSEN.isdisjoint(remedy.argv):
        return remedy
    packages = [word for word in remedy.argv[len(start) :] if not word.startswith("-")]
    wanted = {re.split(r"[<>=!~\[ ]", word, maxsplit=1)[0] for word in packages}
    if "torch" not in wanted:
        return remedy
    option = "--index-url" if wanted <= _FAMILY else "--extra-index-url"
    return replace(remedy, argv=(*remedy.argv, option, f"{_INDEX}{build}"))
