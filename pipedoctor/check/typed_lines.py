"""Snippets that are typed into a shell, as against those that belong into a file."""

import re

from pipedoctor.check.remedy import Place, Remedy
from pipedoctor.lazy_pattern import compile_lazily

_TYPED_LINE = compile_lazily(
    r"(?:\.venv/bin/python|apptainer|cd|conda|cp|curl|date|df|du|export|find|git|hf"
    r"|docker (?:build|rename|restart|run)|fusermount|mkdir|podman (?:rename|run)|python3? -[cm]"
    r"|rclone|rm|rpcinfo|sacctmgr|sbatch|source|srun|sshfs|sudo|taskset|torchrun|ulimit|unset|uv"
    r"|winget|gcsfuse|goofys|juicefs|mount-s3|s3fs) \S"
    r'|set "\w+=|(?:m|container)=\$\('
)
"""How a line begins that belongs into a shell and not into a file."""
_SHELL_LINE = compile_lazily(r"RUN |m=\$\(|findmnt |Get-ChildItem |(?:export|set) ")
"""Lines of other files that a shell reads as well."""
_SUDO = compile_lazily(r"^sudo |(?<=[;&|{] )sudo |(?<=\bdo )sudo ", re.MULTILINE)


def get_typed_lines(remedy: Remedy) -> str:
    """The snippet, if it is typed where the job starts; empty: it belongs into a file."""
    lines = [line for line in remedy.snippet.splitlines() if line]
    typed = remedy.place is not Place.CODE and all(map(_TYPED_LINE.match, lines))
    return "\n".join(lines) if typed else ""


def remove_sudo(lines: str) -> str:
    """The same lines for root, who needs no ``sudo`` and in a container has none."""
    return _SUDO.sub("", lines)


def is_read_by_shell(line: str) -> bool:
    """Does a shell take this line of a snippet apart, so that names have to be quoted?"""
    return bool(_TYPED_LINE.match(line) or _SHELL_LINE.match(line))
