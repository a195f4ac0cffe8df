"""What ``.gitignore`` leaves out: of a folder, of those above it, of those below."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pipedoctor.runtime.path_kind import is_there
from pipedoctor.runtime.regular_file import read_whole

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MAX_BYTES = 1 << 20


_PLAIN_END = re.compile(r"[\[\\]")
_LITERAL = re.compile(r"[^*?/!\s]+")
_ONE_SET = re.compile(r"([^\[\\]*)\[(\w+)\]([^\[\\]*)")
"""``*.py[cod]``: a rule with one set of letters."""


class GitignoreRules:
    """
    The rules of one file, for what lies below its folder.

    A rule is compiled when a path has the text that it cannot match without: of most files
    that is never so.
    """

    def __init__(self, folder: str, lines: Sequence[str]) -> None:
        """With the absolute path of the folder."""
        self.folder = folder
        self._lines = lines
        self._rows = [
            (literal, number) for number, line in enumerate(lines) for literal in _literals_of(line)
        ]
        self._specs: dict[tuple[int, ...], GitIgnoreSpec] = {}

    def decide(self, path: str) -> bool | None:
        """Do they ignore a path, by how it is called below the folder? None: they do not say."""
        found = [number for literal, number in self._rows if literal in path]
        if not found:
            return None
        numbers = tuple(dict.fromkeys(found))
        spec = self._specs.get(numbers)
        if spec is None:
            spec = _compile_rules([self._lines[number] for number in numbers])
            self._specs[numbers] = spec
        return spec.check_file(path).include


def _literals_of(line: str) -> set[str]:
    """Texts of which one stands in every path that a rule matches; maybe an empty one."""
    one_set = _ONE_SET.fullmatch(line)
    if one_set is None:
        return {_find_literal(line)}
    return {_find_literal(f"{one_set[1]}{letter}{one_set[3]}") for letter in one_set[2]}


def _find_literal(line: str) -> str:
    """The longest text of a rule in which nothing stands for anything else."""
    plain = _PLAIN_END.split(line, maxsplit=1)[0]
    return max(_LITERAL.findall(plain), key=len, default="")


class GitignoreMatcher:
    """Answers for everything below one folder, never for that folder itself."""

    def __init__(self, folder: str) -> None:
        top = str(Path(folder).absolute())
        above = _inherited_rules(top)
        above_top, name = os.path.split(top)
        if _is_ignored(_locate_rules(above, above_top), name, folder=True):
            above = ()
        own = read_rules(top)
        self._rules_by_folder: dict[str, Sequence[GitignoreRules]]
        self._rules_by_folder = {top: (*above, own) if own else above}
        self._located_rules: dict[str, Sequence[LocatedRules]] = {}

    def is_ignored(self, path: str, *, folder: bool) -> bool:
        """
        Is this path ignored? Ask for folders first.

        A file may not be re-included below an ignored folder.
        """
        near, name = os.path.split(path)
        located = self._located_rules.get(near)
        if located is None:
            full = str(Path(near).absolute())
            located = self._located_rules[near] = _locate_rules(self._rules_for(full), full)
        return _is_ignored(located, name, folder=folder)

    def _rules_for(self, folder: str) -> Sequence[GitignoreRules]:
        """All rules that hold in a folder, the nearest last."""
        known = self._rules_by_folder.get(folder)
        if known is None:
            own, above = read_rules(folder), self._rules_for(os.path.dirname(folder))  # noqa: PTH120
            known = self._rules_by_folder[folder] = (*above, own) if own else tuple(above)
        return known


LocatedRules: TypeAlias = tuple[GitignoreRules, str]
"""The rules of one file, and how a folder is called by these: ``data/raw/``."""


def _locate_rules(rules_chain: Sequence[GitignoreRules], folder: str) -> list[LocatedRules]:
    """Rules for what lies in a folder, those of the nearest file first."""
    found: list[LocatedRules] = []
    for rules in reversed(rules_chain):
        below = folder[len(rules.folder) :].replace(os.sep, "/").strip("/")
        found.append((rules, f"{below}/" if below else ""))
    return found


def _inherited_rules(folder: str) -> tuple[GitignoreRules, ...]:
    """Those between a folder and where its repository begins, if it has one."""
    if is_there(Path(folder) / ".git"):
        return ()
    found: list[GitignoreRules] = []
    for one in Path(folder).parents:
        own = read_rules(str(one))
        if own:
            found.insert(0, own)
        if is_there(one / ".git"):
            return tuple(found)
    return ()


def _is_ignored(located: Sequence[LocatedRules], name: str, *, folder: bool) -> bool:
    """The nearest rule that says anything about what lies in a folder decides."""
    for rules, below in located:
        decision = rules.decide(f"{below}{name}/" if folder else below + name)
        if decision is not None:
            return decision
    return False


def read_rules(folder: str) -> GitignoreRules | None:
    """The rules that a folder keeps; none where nothing can be read as such."""
    lines: list[str] = []
    for name in (".gitignore", ".git/info/exclude"):
        lines += _read_patterns(os.path.join(folder, name))  # noqa: PTH118
    return GitignoreRules(folder, lines) if lines else None


def _compile_rules(lines: Sequence[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  (only where rules may match)

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # one rule that is none: the others hold
        return GitIgnoreSpec.from_lines(filter(_is_valid_pattern, lines))


def _is_valid_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _read_patterns(path: str) -> list[str]:
    try:
        text = read_whole(path, _MAX_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return []
    return [one for one in text.splitlines() if one.strip() and one[0] != "#"]
