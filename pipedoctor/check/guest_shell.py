"""Remedies for whoever has no rights on the machine: packages of conda instead of apt's."""

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pipedoctor.check.remedy import Place, Remedy
from pipedoctor.lazy_pattern import compile_lazily

GUEST = "guest"
"""The account of an image of Jupyter, which has no ``sudo``."""
_INSTALL = compile_lazily(r"(?m)^(?:sudo )?apt-get install (?P<words>[^\n]+)$")
_UPDATE = compile_lazily(r"(?m)^(?:sudo )?apt-get update\n")
_ROOT = compile_lazily(r"(?m)^sudo ")
_FORGE: Mapping[str, tuple[str, ...]] = {
    "build-essential": ("gxx",),
    "cmake": ("cmake",),
    "ffmpeg": ("ffmpeg",),
    "git": ("git",),
    "git-lfs": ("git-lfs",),
    "libgl1": ("libgl",),
    "libglib2.0-0": ("glib",),
    "libsndfile1": ("libsndfile",),
    "ninja-build": ("ninja",),
}
"""Packages of Debian, and those of conda-forge that bring the same."""
_HEADERS = re.compile(r"python3?(?:\.\d\d?)?-dev")
"""Conda's Python brings its own."""


def translate_for_guest(remedy: Remedy, names: Mapping[str, str]) -> Remedy | None:
    """The same remedy without root, where `names` are those of a log; None: it has none."""
    needs_root = remedy.root or remedy.argv[:1] == ("sudo",) or _ROOT.search(remedy.snippet)
    if names.get("account") != GUEST or remedy.place is not Place.HERE or not needs_root:
        return remedy
    snippet = _UPDATE.sub("", remedy.snippet)
    line = " ".join(remedy.argv).removeprefix("sudo ") or snippet
    match = _INSTALL.fullmatch(line)
    wanted = _list_packages(match["words"].split()) if match and "conda" in names else []
    if not wanted:
        return None
    argv = ("conda", "install", "--yes", "-c", "conda-forge", *wanted)
    title = remedy.title.replace("On Debian or Ubuntu, i", "I")
    return replace(remedy, title=title, argv=argv, snippet="", root=False)


def _list_packages(words: Sequence[str]) -> list[str]:
    """Those of conda-forge; none where one of the words has no equal."""
    needed = [word for word in words if word[0] != "-" and not _HEADERS.fullmatch(word)]
    if not all(word in _FORGE for word in needed):
        return []
    return [name for word in needed for name in _FORGE[word]]
