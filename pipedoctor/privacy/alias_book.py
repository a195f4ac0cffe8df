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

import msgspec

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files, state_dir
from pipedoctor.runtime.verified_folder import VerifiedFolder

if sys.platform != "win32":
    import fcntl

AliasedName = tuple[str, str]
"""Its kind and the name itself: ``("user", "alice")``."""

MAX_STORE_BYTES = 8 << 20
MAX_NAMES = 4096
"""Names of one kind; the oldest are forgotten, their numbers never given again."""
LOCK_TIMEOUT = 1.0
"""Seconds to wait for another process that writes the book."""

_STORE_NAME = "aliases.json"
_ALIAS_FORMS = re.compile(rb"(<|&lt;|\\u003c)([a-z]{1,10}-[0-9]{1,9})(?:>|&gt;|\\u003e)")
"""As text, in HTML and Markdown, and as HTML carries JSON."""


class KindNumbers(msgspec.Struct, kw_only=True):
    """All names of one kind, oldest first, and the last number assigned."""

    last: int = 0
    numbers: dict[str, int] = {}


class AliasFile(msgspec.Struct, kw_only=True):
    """The file of aliases on disk."""

    schema: str = "pipedoctor.aliases/1"
    kinds: dict[str, KindNumbers] = {}


class AliasStore:
    """
    Aliases on disk.

    `failure_reason` says why they could not be written, or is empty.
    """

    def __init__(self) -> None:
        self.failure_reason = ""

    def read_numbers(self) -> tuple[dict[AliasedName, int], dict[str, int]]:
        """Every name with its number, and the last number of each kind."""
        try:
            pages = _decode_store(files.run_with_timeout("aliases", lambda _: _read_bytes()))
        except (UnreadableError, OSError) as error:
            self.failure_reason = str(error)
            return {}, {}
        numbers = {
            (kind, name): number
            for kind, page in pages.kinds.items()
            for name, number in page.numbers.items()
        }
        return numbers, {kind: page.last for kind, page in pages.kinds.items()}

    def reserve_numbers(self, requests: Mapping[AliasedName, int]) -> dict[AliasedName, int]:
        """
        Write names down; the numbers that they have now.

        `requests` are the numbers that they would like: another process may have
        been quicker. Where nothing can be written they get them, for this once.
        """
        if self.failure_reason:  # it may hang: once is enough
            return dict(requests)
        rows = [(*name, number) for name, number in requests.items()]
        try:
            given = files.run_with_timeout("aliases", lambda _: _write_numbers(rows))
        except (UnreadableError, OSError) as error:
            self.failure_reason = str(error)
            return dict(requests)
        return {(kind, name): number for kind, name, number in given}


def restore_names(data: bytes) -> bytes:
    """Put the real names back into a text or a JSON report; raises UnreadableError."""
    pages = _decode_store(files.run_with_timeout("aliases", lambda _: _read_bytes()))
    names = {
        f"{kind}-{number}".encode(): name
        for kind, page in pages.kinds.items()
        for name, number in page.numbers.items()
    }
    json = data.lstrip()[:1] == b"{"

    def restore_name(match: re.Match[bytes]) -> bytes:
        name = names.get(match[2])
        if name is None:
            return match[0]
        if match[1] == b"&lt;":
            return html.escape(name).encode()
        # Inside a string of JSON a name needs its escapes, but no quotes of its own.
        inside = json or match[1] != b"<"
        return msgspec.json.encode(name)[1:-1] if inside else name.encode()

    return _ALIAS_FORMS.sub(restore_name, data)


def _read_bytes() -> bytes:
    try:
        with state_dir.open_state_folder() as home:
            return _read_store(home)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise UnreadableError(_describe_error(error)) from error


def _read_store(home: VerifiedFolder) -> bytes:
    try:
        return home.read(_STORE_NAME, MAX_STORE_BYTES)
    except FileNotFoundError:
        return b""


def _describe_error(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{files.describe_error(error)}"


def _decode_store(data: bytes) -> AliasFile:
    if not data:
        return AliasFile()
    try:
        return msgspec.json.decode(data, type=AliasFile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        place = state_dir.find_state_folder() / _STORE_NAME
        message = f"{place} is damaged: {error}; move it away"
        raise UnreadableError(message) from None


def _write_numbers(requests: Iterable[tuple[str, str, int]]) -> list[list[str | int]]:
    try:
        with state_dir.open_state_folder(create=True) as home, _lock_store(home):
            home.remove_old_drafts()
            pages = _decode_store(_read_store(home))
            given = [_enter_name(pages, *name) for name in requests]
            home.write(_STORE_NAME, msgspec.json.encode(pages))
    except OSError as error:
        raise UnreadableError(_describe_error(error)) from error
    return given


def _enter_name(pages: AliasFile, kind: str, name: str, number: int) -> list[str | int]:
    page = pages.kinds.setdefault(kind, KindNumbers())
    if name not in page.numbers:
        page.last = max(page.last + 1, number)
        page.numbers[name] = page.last
        if len(page.numbers) > MAX_NAMES:
            del page.numbers[next(iter(page.numbers))]
    return [kind, name, page.numbers[name]]


@contextlib.contextmanager
def _lock_store(home: VerifiedFolder) -> Generator[None, None, None]:
    """One writer at a time; the lock dies with its holder. Raises OSError."""
    descriptor = home.open_lock("lock")
    until = time.monotonic() + LOCK_TIMEOUT
    try:
        while not _try_lock(descriptor, last=time.monotonic() > until):
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, *, last: bool) -> bool:
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if last:
                raise
            return False
    return True
