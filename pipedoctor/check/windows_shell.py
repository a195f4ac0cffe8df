"""Lines for the shells of Windows: what cmd.exe and PowerShell both read alike."""

import re
import shlex
from collections.abc import Sequence

from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy
from pipedoctor.lazy_pattern import compile_lazily

_SPECIAL = compile_lazily(r"[<>|&^()%!;,=*'` ]")
"""What one of the two reads as more than a character outside of double quotes."""
_POSIX_PROGRAMS = frozenset(
    (
        *("apt-get", "dnf", "env", "fuser", "ldconfig", "loginctl", "modprobe", "module", "mount"),
        *("nvidia-modprobe", "prlimit", "sh", "bash", "sudo", "sysctl", "systemctl", "taskset"),
        *("ulimit", "du", "df", "rm", "chmod", "numactl", "sbatch", "quota"),
    )
)
_POSIX_SYNTAX = compile_lazily(r"^(?:export|python) .*\$|^(?:cp|find|sudo|taskset) ", re.MULTILINE)
"""A line that reads a variable or another command as only POSIX shells do."""
_EXPORT = compile_lazily(r"^export ((?:[A-Za-z_]\w*=\S*\s*)+)(#.*)?$")
_QUOTED_EXPORT = compile_lazily(r"""export(?: '[A-Za-z_]\w*=[^'"$%]*'| [A-Za-z_]\w*=[\w.:/-]*)+""")
"""Words as shlex quotes them: a path of Windows, or one with a space."""
_SET = compile_lazily(r'set "(\w+)=([^"]*)"')
_VARIABLE = compile_lazily(r"%(\w+)%")
_UNSET = compile_lazily(r"^unset (\w+)$")


def format_for_windows(argv: Sequence[str]) -> str:
    """
    Write an argument vector as a line for cmd.exe, which PowerShell reads alike.

    Words with special characters stand in double quotes, never in single ones.
    """
    return " ".join(map(_quote_word, argv))


def _quote_word(word: str) -> str:
    if word and '"' not in word and not _SPECIAL.search(word):
        return word
    inner = word.replace('"', '\\"')
    return f'"{inner}"'


def is_for_windows(remedy: Remedy) -> bool:
    """Can it be typed there: no program, variable or root of another system?"""
    posix = bool(remedy.argv) and remedy.argv[0] in _POSIX_PROGRAMS
    asks = _POSIX_SYNTAX.search(remedy.snippet) is not None
    return not (posix or asks or remedy.root or remedy.removes)


def translate_snippet(remedy: Remedy) -> Remedy:
    """The same remedy; variables are set as cmd.exe sets them."""
    if remedy.argv[:1] == ("unset",):
        name = remedy.argv[1]
        return replace(remedy, argv=(), snippet=f'set "{name}="')
    lines = [line for row in remedy.snippet.split("\n") for line in _translate_line(row)]
    return replace(remedy, snippet="\n".join(lines))


def _translate_line(line: str) -> list[str]:
    if match := _EXPORT.match(line):
        return [f'set "{pair}"' for pair in match[1].split()]
    if _QUOTED_EXPORT.fullmatch(line):
        return [f'set "{pair}"' for pair in shlex.split(line)[1:]]
    if match := _UNSET.match(line):
        return [f'set "{match[1]}="']
    return [line]


def format_for_powershell(line: str) -> str:
    """What sets variables in cmd.exe, as PowerShell sets them; other lines as they are."""
    return "\n".join(map(_set_in_powershell, line.split("\n")))


def _set_in_powershell(line: str) -> str:
    match = _SET.fullmatch(line)
    if match is None:
        return line
    name, value = match[1], _VARIABLE.sub(r"$env:\1", match[2])
    return f'$env:{name} = "{value}"' if value else f"Remove-Item Env:{name}"
