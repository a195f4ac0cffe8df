"""
Arguments of a command as lists write them, read as the line that they are.

``["curl", "-u", "bob:x"]`` of Python and JSON, ``a0="curl" a1="-u"`` of the audit log, a
sequence of YAML, lines that a backslash joins, ``/proc/PID/cmdline`` with zeros: what a
command does with its arguments is known of its line, so the line is what is searched.
"""

import functools
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_SIGNS = (
    '",',
    "',",
    "' '",
    '" "',
    '" a',
    "\0",
    "- ",
    " \\\n",
    " \\\r",
    " `\n",
    " `\r",
    " ^\n",
    " ^\r",
)
"""One of these stands between the arguments of every list."""
_MAX_WORD = 300
_DOUBLE = rf'"[^"\n\\]{{0,{_MAX_WORD}}}\\{{0,3}}"'
_SINGLE = rf"'[^'\n\\]{{0,{_MAX_WORD}}}\\{{0,3}}'"
_QUOTED = rf"\\{{0,3}}(?:{_DOUBLE}|{_SINGLE})"
_BETWEEN = r"(?:,\s{0,40}|\s{1,4}(?:a\d{1,3}=)?)"
_LISTS = (
    (("',", '",', "' '", '" "', '" a'), rf"{_QUOTED}(?:{_BETWEEN}{_QUOTED}){{1,100}}", _QUOTED),
    (("- ",), r"(?m)(?:^[ \t]*- [^\n]+(?:\n|\Z)){2,100}", r"(?<=- )[^\n]+"),
    (
        ("\\\n", "\\\r\n", "`\n", "`\r\n", "^\n", "^\r\n"),
        r"(?m)(?:^[^\n]*[ \t][\\`^]\r?\n){1,100}[^\n]*",
        rf"{_DOUBLE}|{_SINGLE}|(?:[^\s\"'\\`^]|[\\`^](?![\r\n]))+",
    ),
    (("\0",), r"(?m)(?:^|(?<=\0))[^\0\n]+(?:\0[^\0\n]+){1,100}", r"[^\0]+"),
)
"""Marks of a kind of list, its expression and that of one argument."""
_SEVERAL_WORDS = "\x02"
"""Stands for an argument with spaces: what it holds is looked for without its list."""


class _ListedArgument(NamedTuple):
    """An argument without its quotes, and where it stands."""

    begin: int
    end: int
    word: str


def mask_argument_lists(text: str, mask: str, mask_line: Callable[[str], str]) -> str:
    """Put `mask` in place of what `mask_line` masks in the line of these arguments."""
    if not any(sign in text for sign in _SIGNS):
        return text
    for marks, written, argument in _LISTS:
        if any(mark in text for mark in marks):
            hide = functools.partial(_mask_list, argument=argument, mask=mask, mask_line=mask_line)
            text = re.sub(written, hide, text)
    return text


def _mask_list(
    match: re.Match[str], *, argument: str, mask: str, mask_line: Callable[[str], str]
) -> str:
    text = match[0]
    arguments = list(_read_arguments(text, argument))
    line = " ".join(one.word for one in arguments)
    masked = mask_line(line)
    if masked == line:
        return text
    words = masked.split(" ")
    parts: list[str] = []
    done = 0
    for number, one in enumerate(arguments):
        if one.word in masked:
            continue
        word = words[number] if len(words) == len(arguments) else mask
        parts += [text[done : one.begin], word]
        done = one.end
    return "".join([*parts, text[done:]])


def _read_arguments(text: str, argument: str) -> Iterator[_ListedArgument]:
    for match in re.finditer(argument, text):
        bare = match[0].strip("\\\"'")
        begin = match.start() + match[0].index(bare)
        word = f"{_SEVERAL_WORDS}{begin}" if re.search(r"\s", bare) else bare
        yield _ListedArgument(begin, begin + len(bare), word)
