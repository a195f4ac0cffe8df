"""What could be edited, for which finding, and whether the file may be touched."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipedoctor.check import Confidence
from pipedoctor.fix.code.ground import Found, Ground
from pipedoctor.fix.code.notebook import NotKept
from pipedoctor.fix.code.script import edited
from pipedoctor.remedy import Edit, Remedy


@dataclass(frozen=True)
class Proposal:
    """One remedy of one finding, as edits."""

    found: Found
    remedy: Remedy

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All of them are made, or none."""
        return self.remedy.edits

    @property
    def likely(self) -> bool:
        """Is the finding more than possible?"""
        return self.found.finding.confidence > Confidence.POSSIBLE

    @property
    def files(self) -> set[str]:
        """The files that it changes."""
        return {edit.path for edit in self.edits}

    @property
    def title(self) -> str:
        """``train.py:12  pin-memory-missing``."""
        return f"{self.found.place}  {self.found.check.name}"


@dataclass(frozen=True)
class Turned:
    """A finding that is not cured here, and why."""

    found: Found
    why: str

    @property
    def title(self) -> str:
        """``train.py:12  pin-memory-missing: why``."""
        return f"{self.found.place}  {self.found.check.name}: {self.why}"


def proposals(found: Iterable[Found]) -> Iterator[Proposal]:
    """The first remedy with edits of each finding, gravest findings first."""
    ranked = sorted(found, key=lambda one: -one.finding.severity)
    for one in ranked:
        remedy = next((r for r in one.finding.remedies if r.edits), None)
        if remedy is not None:
            yield Proposal(one, remedy)


def kept(found: Iterable[Found]) -> Iterator[Turned]:
    """Findings whose code is better not edited, with the reason."""
    for one in found:
        for remedy in one.finding.remedies:
            if remedy.kept:
                yield Turned(one, remedy.kept)


def changes(ground: Ground, chosen: Sequence[Proposal]) -> dict[str, bytes]:
    """The new bytes of every file that these proposals change; raises NotKept."""
    wanted: dict[str, list[Edit]] = {}
    for proposal in chosen:
        for edit in proposal.edits:
            wanted.setdefault(edit.path, []).append(edit)
    return {
        path: edited(ground.raws[path], path, edits) for path, edits in wanted.items()
    }


def obstacle(ground: Ground, path: str) -> str:
    """Why a file must not be edited; empty: it may be."""
    if path not in ground.real:
        return f"{path} is none of the files that were read"
    try:
        edited(ground.raws[path], path, ())
    except NotKept as error:
        return f"{path} cannot be written back: {error}"
    return _unwritable(ground, path) if ground.kept else ""


def _unwritable(ground: Ground, path: str) -> str:
    real = os.path.realpath(ground.real[path])
    misplaced = _misplaced(ground, path, real)
    if misplaced:
        return misplaced
    try:
        mode = os.stat(real).st_mode  # noqa: PTH116  (strings all along)
    except OSError as error:
        return f"{path} cannot be written back: {error}"
    folder = str(Path(real).parent)
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        return f"{path} is read-only"
    if not os.access(real, os.W_OK) or not os.access(folder, os.W_OK):
        return f"{path} may not be written by this user"
    return ""


def _misplaced(ground: Ground, path: str, real: str) -> str:
    inside = [os.path.realpath(one) for one in ground.paths]
    if not any(real == one or real.startswith(one.rstrip("/") + "/") for one in inside):
        return f"{path} is a link to {real}, outside of what was named"
    try:
        real.encode()
    except UnicodeEncodeError:
        return f"{path} has a name that is not UTF-8, which the journal cannot hold"
    return ""
