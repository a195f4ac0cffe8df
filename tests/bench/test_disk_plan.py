"""What each plan reads, and what its counts say."""

from typing import Any

import pytest

from pipedoctor.bench.disk_plan import (
    RANDOM_BLOCK_BYTES,
    SEQUENTIAL_BYTES,
    ReadableFiles,
    ReadingPlan,
    build_cold_read,
    build_jobs,
    build_reading,
    build_unknown_reading,
)
from pipedoctor.bench.file_reading import ReadJob
from pipedoctor.bench.sampling import sample_evenly

SIZE = 5 * SEQUENTIAL_BYTES // 2
FILES = ReadableFiles(small=[b"a", b"b", b"c", b"d"], large=[(b"big", SIZE)])
ONE = ReadingPlan(pattern="random", cold=True, readers=1)
MANY = ReadingPlan(pattern="random", cold=True, readers=8)
SEQUENTIAL = ReadingPlan(pattern="sequential", cold=True, readers=1)
SMALL = ReadingPlan(pattern="small files", cold=True, readers=1)


def test_sequential_goes_through_the_whole_file() -> None:
    assert build_jobs(SEQUENTIAL, FILES) == [
        ReadJob(b"big", 0, SEQUENTIAL_BYTES),
        ReadJob(b"big", SEQUENTIAL_BYTES, SEQUENTIAL_BYTES),
        ReadJob(b"big", 2 * SEQUENTIAL_BYTES, SEQUENTIAL_BYTES // 2),
    ]


def test_one_reader_and_many_read_what_the_other_does_not() -> None:
    one, many = build_jobs(ONE, FILES), build_jobs(MANY, FILES)

    assert not set(one) & set(many)
    whole = {
        ReadJob(b"big", at, RANDOM_BLOCK_BYTES)
        for at in range(0, SIZE - RANDOM_BLOCK_BYTES, RANDOM_BLOCK_BYTES)
    }
    assert set(one) | set(many) == whole
    eight = ReadingPlan(pattern="small files", cold=True, readers=8)
    small = build_jobs(SMALL, FILES), build_jobs(eight, FILES)
    assert [{job.path for job in jobs} for jobs in small] == [
        {b"a", b"c"},
        {b"b", b"d"},
    ]


def test_a_single_block_is_read_by_everybody() -> None:
    files = ReadableFiles(large=[(b"big", RANDOM_BLOCK_BYTES + 1)])

    assert (
        build_jobs(ONE, files)
        == build_jobs(MANY, files)
        == [ReadJob(b"big", 0, RANDOM_BLOCK_BYTES)]
    )


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
    reading = build_reading(ONE, said(missed, device))

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
        (None, "cannot determine on this machine whether the data came from a cache"),
        (0.49, "the page cache could not be bypassed"),
    ],
)
def test_what_was_not_cold_has_no_rate(missed: float | None, why: str) -> None:
    reading = build_reading(ONE, said(missed, None))

    assert (reading.rate, reading.operations_per_second) == (None, None)
    assert reading.unknown == why
    assert build_cold_read([reading, build_unknown_reading(SMALL, "no time")]) is None


def test_a_warm_one_need_not_miss() -> None:
    warm = ReadingPlan(pattern="random", cold=False, readers=1)

    assert build_reading(warm, said(0.0, None)).rate is not None


def test_cold_readings_in_the_words_of_check() -> None:
    large, small = (
        build_reading(SEQUENTIAL, said(1.0, None)),
        build_reading(SMALL, said(1.0, None)),
    )

    both = build_cold_read([large, small])
    assert both is not None
    assert (both.files, both.bytes, both.seconds) == (8, 4000, 2.0)
    assert (both.small_files, both.large_bytes) == (8, 2000)
    only = build_cold_read([large])
    assert only is not None
    assert (only.files, only.small_files, only.large_bytes) == (1, 0, 2000)


def test_some_of_many_are_spread() -> None:
    names = [bytes([number]) for number in range(7)]

    assert sample_evenly(names, 7) == sample_evenly(names, 9) == names
    assert sample_evenly(names, 3) == [names[0], names[2], names[4]]
