"""
What was pasted without a collector: lists of pip and conda, `nvidia-smi`, a dict.

Their lines are rewritten as a collector would have printed them.
"""

import re
from collections.abc import Iterable, Iterator

_FREEZE_LINE = re.compile(r"([A-Za-z0-9][\w.\-]{0,99})(?:\[[\w,]{0,80}\])?===?(\d[\w.+!\-]*)")
_TABLE_LINE = re.compile(r"([A-Za-z0-9][\w.\-]{0,99})\s+v?(\d+\.[\w.+!\-]*)(?:\s+(\S.*))?")
_PATH = re.compile(r"/|[A-Za-z]:\\")
_CONDA_HEADER = re.compile(r"# (?:packages in environment|Name\s+Version\s+Build)")
_PIP_HEADER = re.compile(r"Package\s+Version|-{4,} -{4,}")
_DRIVER_LINE = re.compile(r"NVIDIA-SMI \S+\s+(?:KMD )?Driver Version: (\d[\d.]*)")
_CARD_LINE = re.compile(r"\|\s+(\d{1,3})\s{1,4}([A-Z][\w .()-]{2,60}?)(?:\.{3})?\s{2,}\S+\s+\|")
_DICT_LINE = re.compile(r"[{ ]?\s*'([\w .,()-]{1,60})': ?'?([^'\n]{0,400}?)'?,?}?\s*$")
_LISTING_MARKS = (
    "torch==",
    "NVIDIA-SMI ",
    "'sys.platform':",
    "# packages in environment",
)
_TORCH_LINE = re.compile(r"^(?:py)?torch\s+v?\d", re.MULTILINE)


def rewrite_listings(text: str, lines: Iterable[str]) -> Iterator[str]:
    """The lines as a collector would print them; none where nothing is listed."""
    if not any(mark in text for mark in _LISTING_MARKS) and not _TORCH_LINE.search(text):
        return
    tool, cards = "pip3", False
    for line in lines:
        if _CONDA_HEADER.match(line):
            tool = "conda"
        elif _PIP_HEADER.match(line):
            tool = "pip3"
        elif driver := _DRIVER_LINE.search(line):
            yield f"Nvidia driver version: {driver[1]}"
        elif card := _CARD_LINE.match(line):
            if not cards:
                yield "GPU models and configuration:"
            cards = True
            yield f"GPU {card[1]}: {card[2].strip()}"
        else:
            yield from _rewrite_package(line, tool)


def _rewrite_package(line: str, tool: str) -> Iterator[str]:
    """A line of a list, or of a printed dictionary."""
    if match := _FREEZE_LINE.fullmatch(line):
        yield f"[pip3] {match[1]}=={match[2]}"
    elif match := _TABLE_LINE.fullmatch(line):
        rest = match[3] or ""
        if tool == "conda":
            yield f"[conda] {match[1]} {match[2]} {rest}".rstrip()
        elif not rest or _PATH.match(rest):  # else it is a sentence
            yield f"[pip3] {match[1]}=={match[2]}"
    elif match := _DICT_LINE.fullmatch(line):
        yield f"{match[1]}: {match[2]}"
