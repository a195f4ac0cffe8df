"""
The book of aliases: which name stands behind ``<user-1>``, on this machine only.

It is what makes two redacted reports of one machine compare, and what lets its owner
read them. Nobody else can: an alias is a number, and no function of the name.
"""

import contextlib
import html
import os
import re
import sys
import time
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path

import msgspec

from pipedoctor import state
from pipedoctor.collect import files
from pipedoctor.facts import Unreadable

if sys.platform != "win32":
    import fcntl

Name = tuple[str, str]
"""Its kind and the name itself: ``("user", "alice")``."""

LARGEST = 8 << 20
MOST = 4096
"""Names of one kind; the oldest are forgotten, their numbers never given again."""
PATIENCE = 1.0
"""Seconds to wait for another process that writes the book."""

_ALIAS = re.compile(rb"(<|&lt;|\\u003c)([a-z]{1,10}-[0-9]{1,9})(?:>|&gt;|\\u003e)")
"""As text, in HTML and Markdown, and as HTML carries JSON."""


class Page(msgspec.Struct, kw_only=True):
    """All names of one kind, oldest first, and the last number that was given."""

    last: int = 0
    numbers: dict[str, int] = {}


class Pages(msgspec.Struct, kw_only=True):
    """The book as it lies on disk."""

    schema: str = "pipedoctor.aliases/1"
    kinds: dict[str, Page] = {}


class Book:
    """Numbers of names; `trouble` says why it could not be written, or is empty."""

    def __init__(self) -> None:
        self.trouble = ""

    def known(self) -> tuple[dict[Name, int], dict[str, int]]:
        """Every name with its number, and the last number of each kind."""
        try:
            pages = _decoded(files.patiently("aliases", lambda _: _bytes()))
        except (Unreadable, OSError) as error:
            self.trouble = str(error)
            return {}, {}
        numbers = {
            (kind, name): number
            for kind, page in pages.kinds.items()
            for name, number in page.numbers.items()
        }
        return numbers, {kind: page.last for kind, page in pages.kinds.items()}

    def settle(self, wanted: Mapping[Name, int]) -> dict[Name, int]:
        """
        Write names down; the numbers that they have now.

        `wanted` are the numbers that they would like: another process may have
        been quicker. Where nothing can be written they get them, for this once.
        """
        if self.trouble:  # it may hang: once is enough
            return dict(wanted)
        rows = [(*name, number) for name, number in wanted.items()]
        try:
            given = files.patiently("aliases", lambda _: _settle(rows))
        except (Unreadable, OSError) as error:
            self.trouble = str(error)
            return dict(wanted)
        return {(kind, name): number for kind, name, number in given}


def restore(data: bytes) -> bytes:
    """Put the real names back into a text or a JSON report; raises Unreadable."""
    pages = _decoded(files.patiently("aliases", lambda _: _bytes()))
    names = {
        f"{kind}-{number}".encode(): name
        for kind, page in pages.kinds.items()
        for name, number in page.numbers.items()
    }
    json = data.lstrip()[:1] == b"{"

    def real(match: re.Match[bytes]) -> bytes:
        name = names.get(match[2])
        if name is None:
            return match[0]
        if match[1] == b"&lt;":
            return html.escape(name).encode()
        # Inside a string of JSON a name needs its escapes, but no quotes of its own.
        inside = json or match[1] != b"<"
        return msgspec.json.encode(name)[1:-1] if inside else name.encode()

    return _ALIAS.sub(real, data)


def _file() -> Path:
    return state.folder() / "aliases.json"


def _bytes() -> bytes:
    try:
        with _file().open("rb") as file:
            return file.read(LARGEST)
    except FileNotFoundError:
        return b""
    except OSError as error:
        message = f"{error.filename or 'aliases'}: {files.why(error)}"
        raise Unreadable(message) from error


def _decoded(data: bytes) -> Pages:
    if not data:
        return Pages()
    try:
        return msgspec.json.decode(data, type=Pages)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        message = f"{_file()} is damaged: {error}; move it away"
        raise Unreadable(message) from None


def _settle(wanted: Iterable[tuple[str, str, int]]) -> list[list[str | int]]:
    try:
        state.prepare(state.folder())
        with _locked():
            pages = _decoded(_bytes())
            given = [_entered(pages, *name) for name in wanted]
            state.put(_file(), msgspec.json.encode(pages))
    except OSError as error:
        message = f"{error.filename or 'aliases'}: {files.why(error)}"
        raise Unreadable(message) from error
    return given


def _entered(pages: Pages, kind: str, name: str, number: int) -> list[str | int]:
    page = pages.kinds.setdefault(kind, Page())
    if name not in page.numbers:
        page.last = max(page.last + 1, number)
        page.numbers[name] = page.last
        if len(page.numbers) > MOST:
            del page.numbers[next(iter(page.numbers))]
    return [kind, name, page.numbers[name]]


@contextlib.contextmanager
def _locked() -> Generator[None, None, None]:
    """One writer at a time; the lock dies with its holder. Raises OSError."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(state.folder() / "lock", flags, state.PRIVATE_FILE)
    until = time.monotonic() + PATIENCE
    try:
        while not _taken(descriptor, last=time.monotonic() > until):
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int, *, last: bool) -> bool:
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if last:
                raise
            return False
    return True
