"""A watch in a file: lines of samples, and now and then all facts; to be replayed."""

import io
import os
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from pipedoctor.facts import Facts, MalformedRecordError
from pipedoctor.report.sentences import clean_text
from pipedoctor.runtime import files
from pipedoctor.runtime.file_trust import refuse_planted_link
from pipedoctor.textsafe import encode_json, map_strings

SCHEMA = "pipedoctor.recording/1"
_FACTS_INTERVAL = 10
"""Lines between two records of all facts."""
_MAX_LINE_BYTES = 64 << 20
"""Bytes of one line that is read."""


class WatchRecorder:
    """Writes a recording; what is there is complete even where the watch is killed."""

    def __init__(self, path: str) -> None:
        """Raises OSError where the file cannot be written."""
        files.require_answer(path)
        refuse_planted_link(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        descriptor = os.open(path, flags | os.O_NONBLOCK, 0o600)  # not till somebody reads a pipe
        os.set_blocking(descriptor, True)
        self._file = os.fdopen(descriptor, "wb")
        self._lines = 0

    def __enter__(self) -> "WatchRecorder":  # noqa: PYI034  (3.10 has no Self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the recording; raises OSError where something could not be written."""
        self._file.close()

    @property
    def awaits_facts(self) -> bool:
        """Are all facts to be written with the next interval?"""
        return self._lines % _FACTS_INTERVAL == 0

    def add(self, line: dict[str, Any], facts: Facts | None = None) -> None:
        """Write an interval, redacted before, and all facts if given; raises OSError."""
        entry: dict[str, Any] = {"schema": SCHEMA, "sample": line}
        if facts is not None:
            entry["facts"] = facts.to_record()
        self._lines += 1
        self._file.write(encode_json(entry) + b"\n")
        self._file.flush()


class _WaitShare(msgspec.Struct):
    share: float


class _RecordedWorkers(msgspec.Struct):
    number: int
    idle: float


class _CodeLine(msgspec.Struct):
    path: str
    line: int
    share: float
    function: str = ""


class _KernelCall(msgspec.Struct):
    call: str
    path: str
    fstype: str
    share: float


class _RecordedProcess(msgspec.Struct):
    pid: int
    role: str
    state: str
    rank: int | None = None
    cpu: float = 0.0
    run_queue: float = 0.0
    batches: float = 0.0
    descriptors: int | None = None
    memory_bytes: int | None = None


class _GpuRow(msgspec.Struct):
    busy: float | None = None


class _SampleForm(msgspec.Struct):
    """What is shown of a sample, by its types; other fields are left as they are."""

    pid: int = 0
    seconds: float = 0.0
    samples: int = 0
    data_wait: _WaitShare | None = None
    workers: _RecordedWorkers | None = None
    hot: _CodeLine | None = None
    step: _CodeLine | None = None
    location: _CodeLine | None = None
    kernel: _KernelCall | None = None
    rank: int | None = None
    verdict: str = ""
    confidence: str = ""
    why: str = ""
    ranks: dict[str, float] = {}
    pressure: dict[str, float] = {}
    unknown: dict[str, str] = {}
    processes: list[_RecordedProcess] = []
    gpus: list[_GpuRow] = []


class _RecordedFacts(msgspec.Struct):
    known: dict[str, Any]
    unknown: dict[str, str]


class _RecordedLine(msgspec.Struct):
    schema: str
    sample: dict[str, Any]
    facts: _RecordedFacts | None = None


def read_recording(path: str) -> Iterator[tuple[dict[str, Any], Facts | None]]:
    """
    The lines of a recording, with the facts where they were written.

    Raises OSError, and MalformedRecordError for what is no recording; a last line that was cut
    off is left out.
    """
    files.require_answer(path)
    if not Path(path).is_file():
        Path(path).stat()
        message = "not a regular file"
        raise MalformedRecordError(message)
    with Path(path).open("rb") as file:
        number = 0
        for number, text in enumerate(_read_lines(file), 1):
            if not text.endswith(b"\n") and number > 1:
                return
            yield _parse_line(text, number)
        if not number:
            message = "it is empty"
            raise MalformedRecordError(message)


def _read_lines(file: io.BufferedReader) -> Iterator[bytes]:
    """Lines in UTF-8 without a mark of the byte order; PowerShell copies files as UTF-16."""
    if file.peek(2)[:2] in {BOM_UTF16_LE, BOM_UTF16_BE}:
        decoded = io.TextIOWrapper(file, "utf-16", errors="replace", newline="\n")
        try:
            while line := decoded.readline(_MAX_LINE_BYTES):
                yield line.encode()
        finally:
            decoded.detach()  # it would close the file of the caller
        return
    if file.peek(3)[:3] == BOM_UTF8:
        file.read(3)
    while text := file.readline(_MAX_LINE_BYTES):
        yield text


def _parse_line(text: bytes, number: int) -> tuple[dict[str, Any], Facts | None]:
    try:
        entry = msgspec.json.decode(text, type=_RecordedLine)
        msgspec.convert(entry.sample, _SampleForm)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        message = f"line {number}: not a line of `watch --record`: {error}"
        raise MalformedRecordError(message) from None
    if entry.schema != SCHEMA:
        message = f"line {number}: its schema is {entry.schema}, not {SCHEMA}"
        raise MalformedRecordError(message)
    sample = map_strings(entry.sample, clean_text)
    if entry.facts is None:
        return sample, None
    return sample, Facts.from_record({"known": entry.facts.known, "unknown": entry.facts.unknown})
