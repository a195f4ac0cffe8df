"""What ``.gitignore`` leaves out: of a folder, of those above it, of those below."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipedoctor.runtime.regular_file import read_whole

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MAX_BYTES = 1 << 20


class GitignoreRules(NamedTuple):
    """The rules of one file, for what lies below its folder."""

    folder: Path
    spec: "GitIgnoreSpec"


class GitignoreMatcher:
    """Answers for everything below one folder, never for that folder itself."""

    def __init__(self, folder: str) -> None:
        top = Path(folder).absolute()
        above = _inherited_rules(top)
        if _is_ignored(above, top, folder=True):
            above = ()
        own = read_rules(top)
        self._rules_by_folder = {top: (*above, own) if own else above}
        self._rules_by_path: dict[str, Sequence[GitignoreRules]] = {}

    def is_ignored(self, path: str, *, folder: bool) -> bool:
        """
        Is this path ignored? Ask for folders first.

        A file may not be re-included below an ignored folder.
        """
        near = os.path.dirname(path)  # noqa: PTH120  (thousands of files)
        chain = self._rules_by_path.get(near)
        if chain is None:
            chain = self._rules_by_path[near] = self._rules_for(Path(near).absolute())
        return bool(chain) and _is_ignored(chain, Path(path).absolute(), folder=folder)

    def _rules_for(self, folder: Path) -> Sequence[GitignoreRules]:
        """All rules that hold in a folder, the nearest last."""
        known = self._rules_by_folder.get(folder)
        if known is None:
            own, above = read_rules(folder), self._rules_for(folder.parent)
            known = self._rules_by_folder[folder] = (*above, own) if own else tuple(above)
        return known


def _inherited_rules(folder: Path) -> tuple[GitignoreRules, ...]:
    """Those between a folder and where its repository begins, if it has one."""
    if (folder / ".git").exists():
        return ()
    found: list[GitignoreRules] = []
    for one in folder.parents:
        own = read_rules(one)
        if own:
            found.insert(0, own)
        if (one / ".git").exists():
            return tuple(found)
    return ()


def _is_ignored(rules_chain: Sequence[GitignoreRules], path: Path, *, folder: bool) -> bool:
    """The nearest rule that says anything about a path decides."""
    for rules in reversed(rules_chain):
        name = path.relative_to(rules.folder).as_posix()
        decision = rules.spec.check_file(f"{name}/" if folder else name).include
        if decision is not None:
            return decision
    return False


def read_rules(folder: Path) -> GitignoreRules | None:
    """The rules that a folder keeps; none where nothing can be read as such."""
    lines: list[str] = []
    for name in (".gitignore", ".git/info/exclude"):
        lines += _read_patterns(folder / name)
    if not lines:
        return None
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  (only where there are rules)

    try:
        return GitignoreRules(folder, GitIgnoreSpec.from_lines(lines))
    except ValueError:  # one rule that is none: the others hold
        return GitignoreRules(folder, GitIgnoreSpec.from_lines(filter(_is_valid_pattern, lines)))


def _is_valid_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _read_patterns(path: Path) -> list[str]:
    try:
        text = read_whole(path, _MAX_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return []
    return [one for one in text.splitlines() if one.strip() and one[0] != "#"]
