"""A log is read for a bounded time, and what was not read is said."""

import gzip
import io
import math
import time
from pathlib import Path

import pytest

from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.limits import ReadLimits
from pipedoctor.log.read import read_log
from pipedoctor.log.stream import BLOCK_BYTES, read_blocks
from pipedoctor.log.tail import MAX_TAIL_BYTES, LogTail

BUS_ERROR = b"RuntimeError: DataLoader worker (pid 3) is killed by signal: Bus error.\n"
OVER = -math.inf


def read(data: bytes, limits: ReadLimits) -> bytes:
    return b"".join(read_blocks(io.BytesIO(data), limits))


def test_without_time_the_end_is_judged_and_the_rest_counted() -> None:
    rows = 40_000
    data = b"CUDA out of memory\n" + b"step\n" * rows + BUS_ERROR

    log = read_log(io.BytesIO(data), load_signatures(), ReadLimits(judge_until=OVER))

    assert log.lines == rows + 2
    assert {seen.line for seen in log.seen} == {rows + 2}
    (unread,) = log.unread
    first = rows + 2 - (MAX_TAIL_BYTES - len(BUS_ERROR)) // len(b"step\n")
    assert unread == f"lines 1 to {first - 1} were counted but not judged: time limit reached"


def test_a_short_log_is_judged_even_without_time() -> None:
    log = read_log(io.BytesIO(BUS_ERROR), load_signatures(), ReadLimits(judge_until=OVER))

    assert log.seen


def test_with_time_nothing_is_left() -> None:
    data = b"step 1\n" * 9 + BUS_ERROR

    log = read_log(io.BytesIO(data), load_signatures(), ReadLimits())

    assert log.unread == ()
    assert log.lines == 10


def test_reading_stops_when_its_time_is_up() -> None:
    limits = ReadLimits(read_until=OVER)

    assert read(b"step\n" * 9, limits) == b""
    assert limits.list_unread(0) == ("everything after the first 0 bytes: time limit reached",)


def test_waiting_for_a_writer_is_not_reading() -> None:
    limits = ReadLimits(read_until=time.monotonic() + 50, counts_waiting=False)

    limits.add_wait(100)
    assert not limits.is_reading_over()

    limits.counts_waiting, limits.read_until = True, time.monotonic() - 200
    limits.add_wait(1000)
    assert limits.is_reading_over()


@pytest.mark.parametrize("size", [1, 4, BLOCK_BYTES, 3 * BLOCK_BYTES + 7])
def test_zeros_are_counted_and_no_text(size: int) -> None:
    limits = ReadLimits()

    assert read(bytes(size), limits) == b""
    assert limits.list_unread(0) == (f"{size} zero bytes, which hold no text",)
    assert limits.list_unread(1) == ()


def test_a_hole_is_passed_over(tmp_path: Path) -> None:
    sparse = tmp_path / "log"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)
        file.seek(0, io.SEEK_END)
        file.write(b"\nstep\n")
    limits = ReadLimits(read_until=time.monotonic() + 20)

    with sparse.open("rb") as file:
        text = b"".join(read_blocks(file, limits)).replace(b"\0", b"")

    assert text == b"\nstep\n"
    assert not limits.stopped


@pytest.mark.parametrize("deep", [1, 2, 3])
def test_gzip_in_gzip_is_unpacked(deep: int) -> None:
    data, limits = b"step\n" * 9, ReadLimits()
    for _ in range(deep):
        data = gzip.compress(data)

    assert read(data, limits) == b"step\n" * 9
    assert limits.list_unread(9) == ()


def test_gzip_that_is_nested_too_deep_is_said() -> None:
    data, limits = b"step\n", ReadLimits()
    for _ in range(4):
        data = gzip.compress(data)

    assert read(data, limits) == b""
    assert limits.list_unread(0) == ("a gzip file inside the gzip file, nested too deep",)


def test_the_tail_keeps_whole_lines_and_their_numbers() -> None:
    tail = LogTail()
    number = 1
    for _ in range(3):
        block = b"".join(b"%07d\n" % (number + row) for row in range(4096))
        tail.add(block, number)
        number += 4096

    lines = tail.take().splitlines()
    assert int(lines[0]) == tail.number
    assert int(lines[-1]) == number - 1
    assert len(tail.take()) <= MAX_TAIL_BYTES
