"""Pieces of files are read as they were asked for, and counted."""

import os
from pathlib import Path

import pytest

from pipedoctor.bench.file_reading import (
    ReadJob,
    ReadOptions,
    drop_cached_pages,
    read_jobs,
    read_warm,
)
from pipedoctor.collect.machine import Machine

LONG = ReadOptions(windows=1, seconds=90.0)


def announce(_doing: str) -> None:
    """Nobody waits for it."""


def file(folder: Path, name: str, size: int) -> bytes:
    path = folder / name
    path.write_bytes(b"x" * size)
    return os.fsencode(path)


def test_only_regular_files_with_one_name_are_dropped(tmp_path: Path) -> None:
    one, two = file(tmp_path, "one", 10), file(tmp_path, "two", 10)
    (tmp_path / "other name").hardlink_to(tmp_path / "two")
    (tmp_path / "folder").mkdir()
    gone = os.fsencode(tmp_path / "gone")

    assert drop_cached_pages([one, two, os.fsencode(tmp_path / "folder"), gone], announce) == [one]


def test_whole_files_and_pieces_are_counted(tmp_path: Path) -> None:
    path = file(tmp_path, "a", 3 << 20)
    jobs = [
        ReadJob(path),
        ReadJob(path, 4096, 1000),
        ReadJob(path, (3 << 20) - 10, 1000),
    ]

    found = read_jobs(Machine(), jobs, LONG._replace(scattered=True), announce)

    (window,) = found["windows"]
    assert window["operations"] == 3
    assert window["bytes"] == (3 << 20) + 1000 + 10
    assert found["errors"] == 0


def test_what_cannot_be_read_is_counted_apart(tmp_path: Path) -> None:
    jobs = [ReadJob(os.fsencode(tmp_path / "gone")), ReadJob(file(tmp_path, "a", 9))]

    found = read_jobs(Machine(), jobs, LONG._replace(readers=2), announce)

    assert found["errors"] == 1
    assert sum(window["operations"] for window in found["windows"]) == 1


def test_windows_share_the_jobs_and_the_bytes(tmp_path: Path) -> None:
    jobs = [ReadJob(file(tmp_path, str(number), 100)) for number in range(8)]

    four = read_jobs(Machine(), jobs, LONG._replace(windows=4), announce)
    few = read_jobs(Machine(), jobs, LONG._replace(max_bytes=250), announce)

    assert [window["operations"] for window in four["windows"]] == [2, 2, 2, 2]
    assert [window["operations"] for window in few["windows"]] == [3]


def test_nothing_to_read() -> None:
    assert read_jobs(Machine(), [], LONG, announce)["windows"] == []


def test_the_warm_reading_reads_what_was_read_before(tmp_path: Path) -> None:
    jobs = [ReadJob(file(tmp_path, str(number), 100)) for number in range(6)]

    found = read_warm(Machine(), jobs, LONG._replace(windows=2), announce)

    assert sum(window["operations"] for window in found["windows"]) == 6
    if found["missed"] is None:
        pytest.skip("nobody can say here what was cached")
    assert found["missed"] == 0
