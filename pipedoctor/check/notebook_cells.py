"""Remedies of a job that runs in a notebook: typed into a cell, not into a shell."""

from collections.abc import Iterator

from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy, shell
from pipedoctor.lazy_pattern import compile_lazily

_PIP = ("python", "-m", "pip")
_PIP_LINE = compile_lazily(r"python3? -m pip (.+)")
_EXPORT_LINE = compile_lazily(r"export ((?:[A-Za-z_]\w*=[^\s$`'\"\\]+ ?)+)")
"""Values that need no shell: ``%env`` expands none of its signs."""
_RESTART = ", in a cell; then restart the kernel"


def put_in_cell(remedy: Remedy) -> Remedy:
    """The same remedy as magic commands of IPython; as it is where it has none for it."""
    if remedy.argv[:3] == _PIP:
        argv = ("%pip", *remedy.argv[3:])
        return replace(remedy, argv=argv, title=remedy.title + _RESTART)
    if remedy.argv[:2] == ("apt-get", "install"):
        return replace(remedy, argv=(), snippet=f"!{shell(remedy.argv)}", root=False)
    if remedy.argv or not remedy.snippet:
        return remedy
    lines = [list(_translate_line(line)) for line in remedy.snippet.splitlines()]
    if not all(lines):
        return remedy
    snippet = "\n".join(line for group in lines for line in group)
    return replace(remedy, snippet=snippet, title=remedy.title + _RESTART)


def put_hint_in_cell(hint: str) -> str:
    """The same sentence with the magic command in place of pip."""
    return hint.replace("python -m pip", "%pip")


def _translate_line(line: str) -> Iterator[str]:
    """Nothing: a cell has no such line."""
    if match := _PIP_LINE.fullmatch(line):
        yield f"%pip {match[1]}"
    elif match := _EXPORT_LINE.fullmatch(line):
        for setting in match[1].split():
            yield f"%env {setting}"
