"""What a file is that was given to the wrong command, and which command reads it."""

import ast
import re
import shlex
from pathlib import Path, PurePath
from typing import NamedTuple

import click

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files

_MAX_BYTES = 1 << 20
_SCHEMA = re.compile(rb'"schema"\s*:\s*"(pipedoctor\.[a-z-]+/\d+)"')
_PAGE_RECORD = b'<script type="application/json" id="record">'
_ENVIRONMENT_HEAD = re.compile(
    rb"\A\W*(Collecting environment information|PyTorch version:|sys\.platform\b)", re.MULTILINE
)
_ERROR_WORD = re.compile(
    rb"(?P<certain>Bus error|Killed)|Traceback \(most recent call last\)"
    rb"|(?P<kind>Error|Exception)\b"
)
_KIND_BEFORE = re.compile(rb"[\w.]*")
_MAX_BEFORE = 400
"""Characters of a line before its error: what is looked at of each is bounded."""
_CODE_SUFFIXES = (".py", ".pyw", ".ipynb")
_SCHEMA_COMMANDS = {
    "pipedoctor.report/1": ("a report of `pipedoctor check`", "check --from"),
    "pipedoctor.fleet/1": ("a judgement of `pipedoctor fleet show`", ""),
    "pipedoctor.explanation/1": ("the output of `pipedoctor explain`", ""),
    "pipedoctor.tuning/1": ("the output of `pipedoctor tune`", ""),
}


class FileKind(NamedTuple):
    """A kind of file; `command` reads it, or is empty."""

    name: str
    what: str
    command: str

    def describe(self, path: str) -> str:
        """``t.txt is the text of a collector: pipedoctor check --from t.txt``."""
        read = f": `pipedoctor {self.command} {shlex.quote(path)}` reads it"
        return f"{path} is {self.what}{read if self.command else ', which no command reads'}"


CODE = FileKind("code", "code of Python", "check")
LOG = FileKind("log", "an error log", "explain")
ENVIRONMENT = FileKind("environment", "the text of torch.utils.collect_env", "check --from")


def identify_file(path: str) -> FileKind | None:
    """Which kind of file this is; None: none of those that some command reads."""
    try:
        if not files.run_with_timeout(path, lambda _: Path(path).is_file()):
            return None  # what is read once, as a pipe, is not read here
        data = files.load_file(path, _MAX_BYTES)
    except UnreadableError:
        return None
    return _identify_report(data) or _identify_text(path, data)


def _identify_report(data: bytes) -> FileKind | None:
    """What pipedoctor itself has written."""
    found = _SCHEMA.search(data[:4096]) if data.lstrip()[:1] == b"{" else None
    if found:
        what, command = _SCHEMA_COMMANDS.get(found[1].decode(), (f"{found[1].decode()}", ""))
        return FileKind("report", what, command)
    if _PAGE_RECORD in data:
        return FileKind("report", "a page of `pipedoctor check`", "check --from")
    return None


def _identify_text(path: str, data: bytes) -> FileKind | None:
    if _is_code(path, data):
        return CODE
    if any(_is_error(match) for match in _ERROR_WORD.finditer(data)):
        return LOG
    return ENVIRONMENT if _ENVIRONMENT_HEAD.search(data) else None


def _is_error(match: re.Match[bytes]) -> bool:
    """Does a line begin with it, behind one word at most: ``[rank0]: ValueError``?"""
    if match["certain"]:
        return True
    head = match.string[max(0, match.start() - _MAX_BEFORE) : match.start()]
    line = head.rpartition(b"\n")[2]
    if len(line) == _MAX_BEFORE:
        return False
    words = line.split()
    if match["kind"] and len(words) == 2:  # noqa: PLR2004  (what stands before, and its own begin)
        return line.endswith(words[1]) and _KIND_BEFORE.fullmatch(words[1]) is not None
    return len(words) <= 1


def refuse_unless(path: str, *kinds: str) -> None:
    """Raise UsageError for a file of a known kind that is none of these."""
    kind = identify_file(path)
    if kind is not None and kind.name not in kinds:
        raise click.UsageError(kind.describe(path))


def describe_other_kind(path: str, *kinds: str) -> str:
    """``; x.log is an error log: ...`` for what was refused, or empty."""
    kind = identify_file(path) if path != "-" else None
    return f"; {kind.describe(path)}" if kind and kind.name not in kinds else ""


def _is_code(path: str, data: bytes) -> bool:
    if PurePath(path).suffix in _CODE_SUFFIXES:
        return True
    if not re.search(rb"^(import|from|def|class) ", data, re.MULTILINE):
        return False
    try:
        ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
