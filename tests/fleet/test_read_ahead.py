"""Files come in order, several at once, and a folder that hangs holds nobody up."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.fleet.folder import FolderError, LocalFolder
from pipedoctor.fleet.read_ahead import FILES_AT_ONCE, SMALL_BYTES, THREADS, read_in_order
from pipedoctor.fleet.reports import UnreadableReportError


class SlowFolder:
    """A folder that calls back before each of its files is read."""

    path = "/slow"

    def __init__(self, count: int, before: Callable[[str], object]) -> None:
        self._names = [f"{number:04}.json" for number in range(count)]
        self._before = before

    def list_names(self) -> list[str]:
        return self._names

    def measure_size(self, name: str) -> int:  # noqa: ARG002
        return 1

    def read_report(self, name: str) -> bytes:
        self._before(name)
        return name.encode()


def read(folder: SlowFolder, timeout: float = 60.0) -> list[bytes | str]:
    contents = read_in_order(folder, folder.list_names(), timeout=timeout)
    return [one if isinstance(one, bytes) else str(one) for one in contents]


@pytest.mark.parametrize("count", [0, 1, FILES_AT_ONCE, FILES_AT_ONCE + 1, 500])
def test_each_file_comes_once_and_in_order(count: int) -> None:
    folder = SlowFolder(count, lambda _name: None)

    assert read(folder) == [name.encode() for name in folder.list_names()]


def test_several_files_are_read_at_once() -> None:
    """Nobody passes the barrier alone."""
    barrier = threading.Barrier(THREADS, timeout=60)
    folder = SlowFolder(THREADS * FILES_AT_ONCE, lambda _name: barrier.wait())

    assert len(read(folder)) == THREADS * FILES_AT_ONCE


def test_files_that_do_not_come_are_unreadable_and_the_others_are_read() -> None:
    free = threading.Event()
    folder = SlowFolder(200, lambda name: free.wait() if name == "0020.json" else None)

    found = read(folder, timeout=5.0)
    free.set()

    silent = range(FILES_AT_ONCE, 2 * FILES_AT_ONCE)
    for number, one in enumerate(found):
        if number in silent:
            assert one == "cannot be read: no answer after 5 s"
        else:
            assert one == f"{number:04}.json".encode()


def test_a_folder_that_stops_to_answer_is_given_up() -> None:
    free = threading.Event()

    with pytest.raises(FolderError, match="/slow: does not answer"):
        read(SlowFolder(2000, lambda _name: free.wait()), timeout=0.5)
    free.set()


def test_large_files_are_read_one_by_one_when_they_are_wanted(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.json").write_bytes(b"x" * SMALL_BYTES)
    (tmp_path / "b.json").write_bytes(b"x" * (SMALL_BYTES + 1))
    (tmp_path / "c.json").symlink_to("a.json")
    readers: dict[str, bool] = {}

    class Watched(LocalFolder):
        def read_report(self, name: str) -> bytes:
            readers[name] = threading.current_thread() is threading.main_thread()
            return super().read_report(name)

    first, second, third = read_in_order(Watched(str(tmp_path)), ["a.json", "b.json", "c.json"])

    assert (first, second) == (b"x" * SMALL_BYTES, b"x" * (SMALL_BYTES + 1))
    assert isinstance(third, UnreadableReportError)
    assert readers == {"a.json": False, "b.json": True, "c.json": False}
