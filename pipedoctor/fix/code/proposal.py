"""What could be edited, for which finding, and whether the file may be touched."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipedoctor.check import Confidence, Edit, Remedy
from pipedoctor.fix.code.judged_source import CodeFinding, CodeWorkspace
from pipedoctor.fix.code.notebook import InexactEditError
from pipedoctor.fix.code.script import edit_content


@dataclass(frozen=True)
class Proposal:
    """One remedy of one finding, as edits."""

    found: CodeFinding
    remedy: Remedy

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All of them are made, or none."""
        return self.remedy.edits

    @property
    def is_likely(self) -> bool:
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
class RefusedFinding:
    """A finding that is not cured here, and why."""

    found: CodeFinding
    why: str

    @property
    def title(self) -> str:
        """``train.py:12  pin-memory-missing: why``."""
        return f"{self.found.place}  {self.found.check.name}: {self.why}"


def list_proposals(findings: Iterable[CodeFinding]) -> Iterator[Proposal]:
    """The first remedy with edits of each finding, gravest findings first."""
    ranked = sorted(findings, key=lambda one: -one.finding.severity)
    for one in ranked:
        remedy = next((r for r in one.finding.remedies if r.edits), None)
        if remedy is not None:
            yield Proposal(one, remedy)


def list_discouraged(findings: Iterable[CodeFinding]) -> Iterator[RefusedFinding]:
    """Findings whose code is better not edited, with the reason."""
    for one in findings:
        for remedy in one.finding.remedies:
            if remedy.kept:
                yield RefusedFinding(one, remedy.kept)


def apply_proposals(workspace: CodeWorkspace, proposals: Sequence[Proposal]) -> dict[str, bytes]:
    """The new bytes of every file that these proposals change; raises InexactEditError."""
    wanted: dict[str, list[Edit]] = {}
    for proposal in proposals:
        for edit in proposal.edits:
            wanted.setdefault(edit.path, []).append(edit)
    return {
        path: edit_content(workspace.contents[path], path, edits) for path, edits in wanted.items()
    }


def find_file_obstacle(workspace: CodeWorkspace, path: str) -> str:
    """Why a file must not be edited; empty: it may be."""
    if path not in workspace.real_paths:
        return f"{path} is not one of the files that were read"
    try:
        edit_content(workspace.contents[path], path, ())
    except InexactEditError as error:
        return f"{path} cannot be written back: {error}"
    return _explain_unwritable(workspace, path) if workspace.is_on_disk else ""


def _explain_unwritable(workspace: CodeWorkspace, path: str) -> str:
    real = os.path.realpath(workspace.real_paths[path])
    if misplaced := explain_misplaced(workspace, real):
        return f"{path} {misplaced}"
    try:
        status = os.stat(real, follow_symlinks=False)  # noqa: PTH116  (strings all along)
    except OSError as error:
        return f"{path} cannot be written back: {error}"
    folder, mode = str(Path(real).parent), status.st_mode
    if linked := explain_hard_links(status):
        return f"{path} {linked}"
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        return f"{path} is read-only"
    if not os.access(real, os.W_OK) or not os.access(folder, os.W_OK):
        return f"{path} is not writable by this user"
    return ""


def explain_hard_links(status: os.stat_result | None) -> str:
    """Why a file with several names is not edited; empty: it has one."""
    if status is None or status.st_nlink < 2:  # noqa: PLR2004  (one name is its own)
        return ""
    return (
        f"has {status.st_nlink} hard links: an edit would separate them, and the other names"
        " would keep the old code"
    )


def explain_misplaced(workspace: CodeWorkspace, real: str) -> str:
    """Why the file at this real path is not ours to edit; empty: it is."""
    roots = workspace.real_roots
    if not any(real == one or real.startswith(one.rstrip("/") + "/") for one in roots):
        return f"is a link to {real}, outside the given paths"
    try:
        real.encode()
    except UnicodeEncodeError:
        return "has a name that is not UTF-8, which the journal cannot store"
    return ""
