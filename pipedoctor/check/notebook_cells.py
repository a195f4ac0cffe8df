"""Remedies of a job that runs in a notebook: typed into a cell, not into a shell."""

from collections.abc import Iterator

from msgspec.structs import replace

from pipedoctor.check.remedy import Place, Remedy, shell
from pipedoctor.lazy_pattern import compile_lazily

_PIP_LINE = compile_lazily(r"(?:\S*/)?python[\d.]* -m pip (.+)")
_EXPORT_LINE = compile_lazily(r"export ((?:[A-Za-z_]\w*=[^\s$`'\"\\]+ ?)+)")
"""Values that need no shell: ``%env`` expands none of its signs."""
_UNSET_LINE = compile_lazily(r"unset ((?:[A-Za-z_]\w* ?)+)")
_SHELL_LINE = compile_lazily(
    r"(?:apt-get install|cp|df|du|find|git|hf|ls|mkdir|mv|pipedoctor|rm|sh) \S"
)
"""Programs that do the same in a shell of their own, as ``!`` starts one."""
_ASSIGNMENT = compile_lazily(
    r"(?P<name>[A-Za-z_]\w*)=(?P<value>(?:\$\((?:[^()]|\([^()]*\))*\)|[^\s()])+)"
)
_ASKING = compile_lazily(r"\brm -(?P<all>r?)I ")
_ASKS = " (rm asks if these are more than three)"
"""What a program asks in a cell, nobody can answer in every kind of notebook."""
_KEPT = ", in a cell; then restart the kernel"
_SET = ", in the first cell after a restart of the kernel"
"""What a cell sets ends with the kernel."""


def put_in_cell(remedy: Remedy) -> Remedy:
    """The same remedy as magic commands of IPython; as it is where it has none for it."""
    if remedy.place is Place.CODE:
        return remedy
    lines = [shell(remedy.argv)] if remedy.argv else remedy.snippet.splitlines()
    lines = [_ASKING.sub(lambda rm: "rm -r " if rm["all"] else "rm ", line) for line in lines]
    cells = [list(_translate_line(line)) for line in lines]
    if not lines or not all(cells):
        return remedy
    snippet = "\n".join(line for group in cells for line in group)
    if snippet.startswith("%pip"):
        snippet = snippet if not remedy.argv else ""
        argv = ("%pip", *remedy.argv[3:]) if remedy.argv else ()
        return replace(remedy, argv=argv, snippet=snippet, title=remedy.title + _KEPT)
    if "os.environ" in snippet:
        snippet = f"import os\n{snippet}"
    title = remedy.title.replace(_ASKS, "")
    title += _SET * ("%env" in snippet or "os.environ" in snippet)
    root = remedy.root and remedy.argv[:1] != ("apt-get",)
    return replace(remedy, argv=(), snippet=snippet, title=title, root=root)


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
    elif line.startswith("export "):
        yield from _assign_in_python(line.removeprefix("export "))
    elif match := _UNSET_LINE.fullmatch(line):
        for name in match[1].split():
            yield f'os.environ.pop("{name}", None)'
    elif "{" not in line and _SHELL_LINE.match(line):  # IPython reads names in braces
        yield f"!{line}"


def _assign_in_python(words: str) -> Iterator[str]:
    """What a shell has to read, by one that has the values of this kernel."""
    if _ASSIGNMENT.sub("", words).strip():
        return
    for match in _ASSIGNMENT.finditer(words):
        asked = f"echo {match['value']}"
        yield f'os.environ["{match["name"]}"] = os.popen({asked!r}).read().strip()'
