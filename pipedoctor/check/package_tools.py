"""Lines of pip for the tool that owns the project of a log: uv, Poetry or Pipenv."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy
from pipedoctor.facts.log import PackageTool

_PIP = ("python", "-m", "pip")
_VALUED = frozenset({"--index-url", "--target", "--extra-index-url"})
_REPLACING = frozenset({"--force-reinstall", "--no-deps"})
_MEANINGLESS = frozenset({"-y", "--yes"})


class _PipLine(msgspec.Struct, frozen=True):
    action: str
    names: tuple[str, ...]
    options: frozenset[str]
    index: str = ""

    def is_plain(self) -> bool:
        """Does it only say what shall be installed, and where that is found?"""
        known = {"--upgrade", *_REPLACING, *_MEANINGLESS, "--index-url"}
        return self.options <= known and bool(self.names)


def translate_for_tool(remedy: Remedy, tool: PackageTool) -> Iterator[Remedy]:
    """The same remedy, in one step or two, as somebody types it who uses this tool."""
    if (
        not tool
        or remedy.argv[:3] != _PIP
        or remedy.argv[3:4] not in (("install",), ("uninstall",))
    ):
        yield remedy
        return
    line = _read_line(remedy.argv[3:])
    if tool == "uv" or (tool == "uv-project" and not line.is_plain()):
        words = [word for word in remedy.argv[3:] if word not in _MEANINGLESS]
        yield replace(remedy, argv=("uv", "pip", *words))
    elif tool == "uv-project":
        yield replace(remedy, argv=_write_uv(line))
    elif tool == "poetry" and line.is_plain():
        yield from _write_poetry(remedy, line)
    else:
        yield replace(remedy, argv=(tool, "run", *remedy.argv))


def _read_line(words: Sequence[str]) -> _PipLine:
    names: list[str] = []
    options: set[str] = set()
    index = ""
    waiting = ""
    for word in words[1:]:
        if waiting:
            index = word if waiting == "--index-url" else index
            waiting = ""
        elif word.startswith("-"):
            options.add(word)
            waiting = word if word in _VALUED else ""
        else:
            names.append(word)
    return _PipLine(words[0], tuple(names), frozenset(options), index)


def _name_index(url: str) -> str:
    """``pytorch-cu126``"""
    return f"pytorch-{url.rstrip('/').rpartition('/')[2]}"


def _write_uv(line: _PipLine) -> tuple[str, ...]:
    if line.action == "uninstall":
        return ("uv", "remove", *line.names)
    again = "--reinstall-package" if line.options & _REPLACING else ""
    again = again or ("--upgrade-package" if "--upgrade" in line.options else "")
    renewed = [word for name in line.names for word in (again, name)] if again else []
    index = ("--index", f"{_name_index(line.index)}={line.index}") if line.index else ()
    return ("uv", "add", *line.names, *(renewed if _are_bare(line.names) else ()), *index)


def _write_poetry(remedy: Remedy, line: _PipLine) -> Iterator[Remedy]:
    if line.action == "uninstall":
        yield replace(remedy, argv=("poetry", "remove", *line.names))
        return
    if line.options & _REPLACING and not line.index:
        yield replace(remedy, argv=("poetry", "run", *remedy.argv))
        return
    names = [f"{name}@latest" if _are_bare([name]) else name for name in line.names]
    if not line.index:
        yield replace(remedy, argv=("poetry", "add", *names))
        return
    source = _name_index(line.index)
    add = ("poetry", "source", "add", "--priority=explicit", source, line.index)
    yield replace(remedy, argv=add)
    title = f"Then {remedy.title[:1].lower()}{remedy.title[1:]}"
    yield replace(remedy, title=title, argv=("poetry", "add", f"--source={source}", *names))


def _are_bare(names: Sequence[str]) -> bool:
    """Are they names without a version?"""
    return not any(sign in name for name in names for sign in "<>=!~@ ")
