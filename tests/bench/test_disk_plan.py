"""What each plan reads, and what its counts say."""

from typing import Any

import pytest

from pipedoctor.bench.disk_plan import (
    BLOCK,
    PIECE,
    Files,
    Plan,
    as_cold_read,
    jobs_of,
    made,
    some,
    unknown,
)
from pipedoctor.bench.reading import Job

SIZE = 5 * PIECE // 2
FILES = Files(small=[b"a", b"b", b"c", b"d"], large=[(b"big", SIZE)])
ONE = Plan(pattern="random", cold=True, readers=1)
MANY = Plan(pattern="random", cold=True, readers=8)
SEQUENTIAL = Plan(pattern="sequential", cold=True, readers=1)
SMALL = Plan(pattern="small files", cold=True, readers=1)


def test_sequential_goes_through_the_whole_file() -> None:
    assert jobs_of(SEQUENTIAL, FILES) == [
        Job(b"big", 0, PIECE),
        Job(b"big", PIECE, PIECE),
        Job(b"big", 2 * PIECE, PIECE // 2),
    ]


def test_one_reader_and_many_read_what_the_other_does_not() -> None:
    one, many = jobs_of(ONE, FILES), jobs_of(MANY, FILES)

    assert not set(one) & set(many)
    whole = {Job(b"big", at, BLOCK) for at in range(0, SIZE - BLOCK, BLOCK)}
    assert set(one) | set(many) == whole
    eight = Plan(pattern="small files", cold=True, readers=8)
    small = jobs_of(SMALL, FILES), jobs_of(eight, FILES)
    assert [{job.path for job in jobs} for jobs in small] == [
        {b"a", b"c"},
        {b"b", b"d"},
    ]


def test_a_single_block_is_read_by_everybody() -> None:
    files = Files(large=[(b"big", BLOCK + 1)])

    assert jobs_of(ONE, files) == jobs_of(MANY, files) == [Job(b"big", 0, BLOCK)]


def said(missed: float | None, device: int | None) -> dict[str, Any]:
    window = {"operations": 4, "bytes": 1000, "seconds": 0.5}
    return {"windows": [window, window], "missed": missed, "device": device}


@pytest.mark.parametrize(
    ("missed", "device", "known"),
    [
        (0.9, None, 0.9),
        (0.9, 100, 0.9),
        (0.1, 1500, 0.75),
        (None, 9000, 1.0),
        (0.5, 0, 0.5),
    ],
)
def test_cold_is_what_came_from_storage(
    missed: float | None, device: int | None, known: float
) -> None:
    reading = made(ONE, said(missed, device))

    assert reading.missed == known
    assert reading.unknown == ""
    assert reading.rate is not None
    assert reading.rate.value == 2000
    assert reading.operations_per_second is not None
    assert reading.operations_per_second.value == 8
    assert (reading.operations, reading.bytes, reading.seconds) == (8, 2000, 1.0)


@pytest.mark.parametrize(
    ("missed", "why"),
    [
        (None, "nobody can say here whether it came from a cache"),
        (0.49, "the page cache could not be passed over"),
    ],
)
def test_what_was_not_cold_has_no_rate(missed: float | None, why: str) -> None:
    reading = made(ONE, said(missed, None))

    assert (reading.rate, reading.operations_per_second) == (None, None)
    assert reading.unknown == why
    assert as_cold_read([reading, unknown(SMALL, "no time")]) is None


def test_a_warm_one_need_not_miss() -> None:
    warm = Plan(pattern="random", cold=False, readers=1)

    assert made(warm, said(0.0, None)).rate is not None


def test_cold_readings_in_the_words_of_check() -> None:
    large, small = made(SEQUENTIAL, said(1.0, None)), made(SMALL, said(1.0, None))

    both = as_cold_read([large, small])
    assert both is not None
    assert (both.files, both.bytes, both.seconds) == (8, 4000, 2.0)
    assert (both.small_files, both.large_bytes) == (8, 2000)
    only = as_cold_read([large])
    assert only is not None
    assert (only.files, only.small_files, only.large_bytes) == (1, 0, 2000)


def test_some_of_many_are_spread() -> None:
    names = [bytes([number]) for number in range(7)]

    assert some(names, 7) == some(names, 9) == names
    assert some(names, 3) == [names[0], names[2], names[4]]
