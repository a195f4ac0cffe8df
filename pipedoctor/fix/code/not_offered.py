"""Findings for which nothing is edited: which, why, and what shows only with other files."""

import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from pipedoctor.facts import UnreadableError
from pipedoctor.fix.code.judged_source import CodeFinding, CodeWorkspace
from pipedoctor.fix.code.proposal import list_proposals
from pipedoctor.source.discover.projects import find_enclosing_project

_MAX_LISTED = 8
_MAX_LEVELS = 3
"""Folders around that of a file: a project that begins higher up may be a whole home."""
_WIDE_SECONDS = 2.0
"""What takes longer to be read, or has a folder in it that hangs, is not asked about."""
_MAX_BYTES = 4 << 20
"""More code than this around a file is not read only to say what it would show."""


def list_unedited(findings: Iterable[CodeFinding]) -> list[CodeFinding]:
    """Findings that have no edit at all."""
    every = list(findings)
    edited = {id(proposal.found) for proposal in list_proposals(every)}
    return [one for one in every if id(one) not in edited]


def describe_unedited(findings: list[CodeFinding]) -> Iterator[str]:
    """``train.py:9  sync-in-loop: no edit is known; by hand: ...``, a line each."""
    if findings:
        yield f"no edit is offered for {len(findings)}:"
    for one in findings[:_MAX_LISTED]:
        yield f"  {one.place}  {one.check.name}: {_explain(one)}"
    if len(findings) > _MAX_LISTED:
        yield f"  and {len(findings) - _MAX_LISTED} more"


def _explain(finding: CodeFinding) -> str:
    remedies = finding.finding.remedies
    kept = next((one.kept for one in remedies if one.kept), "")
    if kept:
        return kept
    return f"by hand: {remedies[0].title}" if remedies else "no fix is known"


def find_elsewhere(workspace: CodeWorkspace) -> list[str]:
    """What these files show only together with others of their project, a line each."""
    given = [path for path in workspace.paths if Path(path).is_file()]
    if not workspace.is_on_disk or len(given) != len(workspace.paths):
        return []
    folders = sorted({str(_find_project(Path(path))) for path in given})
    try:
        wide = CodeWorkspace.read(
            tuple(folders), workspace.examination, workspace.facts, _WIDE_SECONDS
        )
    except UnreadableError:
        return []
    if sum(map(len, wide.contents.values())) > _MAX_BYTES:
        return []
    mine = {os.path.realpath(path) for path in given}
    known = {(one.check.code, _line_of(one)) for one in workspace.judge()}
    found = [
        one
        for one in wide.judge()
        if _real_path(wide, one) in mine and (one.check.code, _line_of(one)) not in known
    ]
    if not found:
        return []
    named = [f"  {one.place}  {one.check.name}" for one in found[:_MAX_LISTED]]
    more = [f"  and {len(found) - _MAX_LISTED} more"] if len(found) > _MAX_LISTED else []
    both = f"pipedoctor fix --code {' '.join(map(shlex.quote, folders))}"
    title = f"{len(found)} more show only together with the other files, by {both}:"
    return [title, *named, *more]


def _find_project(path: Path) -> Path:
    """The project that a file lies in, else its folder; as the user would name it."""
    folder = path.absolute().parent
    root = find_enclosing_project(folder)
    if root is None or root not in (folder, *folder.parents[:_MAX_LEVELS]):
        root = folder
    here = Path.cwd()
    return root.relative_to(here) if root.is_relative_to(here) else root


def _line_of(finding: CodeFinding) -> int:
    spot = finding.finding.location
    return spot.line if spot else 0


def _real_path(workspace: CodeWorkspace, finding: CodeFinding) -> str:
    spot = finding.finding.location
    path = spot.path.partition("#")[0] if spot else ""
    return os.path.realpath(workspace.real_paths.get(path, path))
