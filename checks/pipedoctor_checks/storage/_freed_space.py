"""What can be removed where room is short: first what is made again, then what is asked about."""

from collections.abc import Iterable, Iterator

import msgspec

from pipedoctor.check import Remedy
from pipedoctor.check.remedy_steps import as_step
from pipedoctor.facts import Clearable, PathFact
from pipedoctor.units import format_size
from pipedoctor_checks._shared.advice import advise_user

_MADE_AGAIN = {
    "pip": "Empty pip's cache",
    "uv": "Empty uv's cache",
    "conda": "Remove conda's packages that no environment uses",
    "triton": "Remove the kernels that Triton compiled",
    "extensions": "Remove the extensions that torch compiled",
}
"""They cost time only: the next run makes or loads them again."""
_DOWNLOADED = {
    "hugging-face": "Remove the models and datasets of Hugging Face, to download again",
    "torch-hub": "Remove the weights of torch.hub, to download again",
}
"""They may be private, or have no source any more: the user's choice."""
_BY_TOOL = {"uv": ("uv", "cache", "clean"), "conda": ("conda", "clean", "--all", "--yes")}
"""Tools that ask not to have their caches removed by hand."""


class Shortage(msgspec.Struct, frozen=True):
    """What is missing until the check is quiet: bytes, and files where inodes run out."""

    bytes: int = 0
    files: int = 0

    def subtract(self, one: Clearable) -> "Shortage":
        """What is still missing when this is removed."""
        return Shortage(self.bytes - one.bytes, self.files - one.files)

    @property
    def is_met(self) -> bool:
        """Is nothing missing any more?"""
        return self.bytes <= 0 and self.files <= 0

    @property
    def text(self) -> str:
        """``1.2 GiB``, ``900 files``."""
        if self.bytes > 0:
            return format_size(self.bytes)
        return f"{self.files:,} file{'s' * (self.files != 1)}"


def free_space(entries: Iterable[PathFact], missing: Shortage, du: Remedy) -> Iterator[Remedy]:
    """Remove as little as is enough, in order; where that is not enough, look for more."""
    known = {one.path: one for entry in entries for one in entry.clearable}
    count = 0
    for one in sorted(known.values(), key=_order):
        if missing.is_met or one.kind == "checkpoint":
            break
        yield _number(_empty(one), count)
        missing = missing.subtract(one)
        count += 1
    checkpoints = [one for one in known.values() if one.kind == "checkpoint"]
    if checkpoints and not missing.is_met:
        yield _number(_ask_for_checkpoints(checkpoints), count)
        count += 1
    title = du.title if missing.is_met else f"{du.title}: {missing.text} more must be free"
    look = msgspec.structs.replace(du, title=title)
    yield look if missing.is_met else _number(look, count)


def _order(one: Clearable) -> tuple[int, int]:
    """What is made again before what is loaded again, the largest of each first."""
    rank = 0 if one.kind in _MADE_AGAIN else 1 if one.kind in _DOWNLOADED else 2
    return rank, -one.bytes


def _number(remedy: Remedy, before: int) -> Remedy:
    return as_step(remedy) if before else remedy


def _empty(one: Clearable) -> Remedy:
    least = "" if one.complete else "at least "
    title = (_MADE_AGAIN | _DOWNLOADED)[one.kind]
    argv = _BY_TOOL.get(one.kind, ("rm", "-rf", "--", one.path))
    return advise_user(f"{title} (frees {least}{format_size(one.bytes)})", argv=argv)


def _ask_for_checkpoints(old: list[Clearable]) -> Remedy:
    """Each is asked about: nobody else knows which are still needed."""
    total = format_size(sum(one.bytes for one in old))
    title = f"Choose which older checkpoints to remove ({len(old)} of them: {total})"
    return advise_user(title, argv=("rm", "-i", "--", *(one.path for one in old)))
