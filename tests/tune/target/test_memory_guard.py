"""How much memory a tree of processes uses: pages that they share count once."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

from pipedoctor.tune.target import memory_guard as guarding
from pipedoctor.tune.target.memory_guard import MemoryGuard
from pipedoctor.tune.target.process_tree import find_tree

MIB = 1 << 20
HELD = 96 * MIB
FAMILY = f"""
import os, sys, time
kept = bytearray(b"x" * {HELD})
ready, done = os.pipe()
for _ in range(4):
    if not os.fork():
        for at in range(0, len(kept) if "write" in sys.argv else 0, 4096):
            kept[at] = 1
        os.write(done, b"d")
        time.sleep(600)
for _ in range(4):
    os.read(ready, 1)
print("ready", flush=True)
time.sleep(600)
"""


@contextmanager
def family(*how: str) -> Generator[int, None, None]:
    """A process that holds 96 MiB, and four that were forked from it."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", FAMILY, *how],
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as parent:
        try:
            assert parent.stdout is not None
            assert parent.stdout.readline() == b"ready\n"
            yield parent.pid
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


def over(pid: int, most: int) -> int:
    return MemoryGuard(most, lambda: find_tree(pid)).measure_excess()


def test_what_workers_share_with_their_parent_counts_once() -> None:
    with family() as pid:
        assert over(pid, HELD + 64 * MIB) == 0
        assert HELD < over(pid, HELD) < HELD + 64 * MIB


def test_what_workers_have_written_to_counts_for_each() -> None:
    with family("write") as pid:
        assert over(pid, 4 * HELD) > 5 * HELD


def test_no_limit_is_never_exceeded() -> None:
    def nobody() -> Iterator[int]:
        raise AssertionError

    assert MemoryGuard(0, nobody).measure_excess() == 0


class Books:
    """Pages as the kernel would tell of two processes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mapped, self.rows, self.read = 100, {"Pss": 70, "Pss_Anon": 60}, 0
        monkeypatch.setattr(guarding, "_read_mapped", self.statm)
        monkeypatch.setattr(guarding, "read_rollup", self.rollup)
        monkeypatch.setattr(guarding, "_MIN_INTERVAL", 600.0)

    def statm(self, _pid: int) -> int:
        return self.mapped

    def rollup(self, _pid: int) -> dict[str, int]:
        self.read += 1
        if not self.rows:
            raise PermissionError
        return self.rows


@pytest.fixture
def books(monkeypatch: pytest.MonkeyPatch) -> Books:
    return Books(monkeypatch)


def guard(most: int) -> MemoryGuard:
    return MemoryGuard(most, lambda: (1, 2))


def test_nothing_is_counted_while_little_is_mapped(books: Books) -> None:
    assert guard(200).measure_excess() == 0
    assert books.read == 0


def test_pages_are_counted_seldom_where_nothing_grows(books: Books) -> None:
    kept = guard(150)
    assert [kept.measure_excess() for _ in range(9)] == [0] * 9
    assert books.read == 2


def test_pages_are_counted_again_where_much_is_mapped_since(books: Books) -> None:
    kept = guard(150)
    kept.measure_excess()
    books.mapped = 114  # 228 together: 30 more may be mapped than 200
    assert kept.measure_excess() == 0
    assert books.read == 2
    books.mapped, books.rows = 115, {"Pss": 115, "Pss_Anon": 115}
    assert kept.measure_excess() == 230
    assert books.read == 2 + 4


def test_a_count_ends_where_the_rest_cannot_be_too_much(books: Books) -> None:
    books.rows = {"Pss": 10, "Pss_Anon": 10}
    assert MemoryGuard(700, lambda: range(10)).measure_excess() == 0  # of 1000, 90 less each time
    assert books.read == 6


def test_workers_that_end_meanwhile_accuse_nobody(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = iter([90, 90, 60, 60])

    def rollup(_pid: int) -> dict[str, int]:
        return {"Pss": 0, "Pss_Anon": next(parts)}

    monkeypatch.setattr(guarding, "read_rollup", rollup)
    assert books.mapped == 100
    assert guard(150).measure_excess() == 0


@pytest.mark.parametrize(
    ("rows", "used"),
    [
        pytest.param({"Pss": 80}, 160, id="an old kernel, with files"),
        pytest.param({"Pss": 500}, 200, id="an old kernel, with large files"),
        pytest.param({}, 200, id="nothing may be read"),
    ],
)
def test_a_kernel_that_tells_less(books: Books, rows: dict[str, int], used: int) -> None:
    books.rows = rows
    assert guard(150).measure_excess() == used
