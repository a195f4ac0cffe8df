"""What ``.gitignore`` leaves out: of a folder, of those above it, of those below."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_LARGEST = 1 << 20


class Rules(NamedTuple):
    """The rules of one file, for what lies below its folder."""

    folder: Path
    spec: "GitIgnoreSpec"


class Ignored:
    """Answers for everything below one folder, never for that folder itself."""

    def __init__(self, folder: str) -> None:
        top = Path(folder).absolute()
        above = _above(top)
        if _leaves_out(above, top, folder=True):
            above = ()
        own = rules_of(top)
        self._chains = {top: (*above, own) if own else above}
        self._known: dict[str, Sequence[Rules]] = {}

    def leaves_out(self, path: str, *, folder: bool) -> bool:
        """Is this left out? Ask for folders first: nothing below them comes back."""
        near = os.path.dirname(path)  # noqa: PTH120  (thousands of files)
        chain = self._known.get(near)
        if chain is None:
            chain = self._known[near] = self._chain(Path(near).absolute())
        return bool(chain) and _leaves_out(chain, Path(path).absolute(), folder=folder)

    def _chain(self, folder: Path) -> Sequence[Rules]:
        """All rules that hold in a folder, the nearest last."""
        known = self._chains.get(folder)
        if known is None:
            own, above = rules_of(folder), self._chain(folder.parent)
            known = self._chains[folder] = (*above, own) if own else tuple(above)
        return known


def _above(folder: Path) -> tuple[Rules, ...]:
    """Those between a folder and where its repository begins, if it has one."""
    if (folder / ".git").exists():
        return ()
    found: list[Rules] = []
    for one in folder.parents:
        own = rules_of(one)
        if own:
            found.insert(0, own)
        if (one / ".git").exists():
            return tuple(found)
    return ()


def _leaves_out(chain: Sequence[Rules], path: Path, *, folder: bool) -> bool:
    """The nearest rule that says anything about a path decides."""
    for rules in reversed(chain):
        name = path.relative_to(rules.folder).as_posix()
        said = rules.spec.check_file(f"{name}/" if folder else name).include
        if said is not None:
            return said
    return False


def rules_of(folder: Path) -> Rules | None:
    """The rules that a folder keeps; none where nothing can be read as such."""
    lines: list[str] = []
    for name in (".gitignore", ".git/info/exclude"):
        lines += _lines(folder / name)
    if not lines:
        return None
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  (only where there are rules)

    try:
        return Rules(folder, GitIgnoreSpec.from_lines(lines))
    except ValueError:  # one rule that is none: the others hold
        return Rules(folder, GitIgnoreSpec.from_lines(filter(_means, lines)))


def _means(line: str) -> bool:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _lines(path: Path) -> list[str]:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return []
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return []
    return [one for one in text.splitlines() if one.strip() and one[0] != "#"]
