"""The cold read is bounded, harms nobody, and says when it was not cold."""

import fcntl
import os
import subprocess
import time
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.storage import cold_read as cold_read_module
from pipedoctor.collect.storage.cold_read import cold_read
from pipedoctor.facts import UnreadableError
from tests.collect.storage.cold_read.conftest import HERE, files, read

KiB, MiB = 1 << 10, 1 << 20

pytestmark = pytest.mark.skipif(
    not hasattr(os, "posix_fadvise"), reason="no posix_fadvise on this platform"
)


def on_a_disk(folder: Path) -> bool:
    found = subprocess.run(["stat", "-f", "-c", "%T", folder], check=False, capture_output=True)
    return found.stdout.strip() in {b"ext2/ext3", b"xfs", b"btrfs"}


def test_small_files_tell_latency(tmp_path: Path) -> None:
    found = read(files(tmp_path, 10, 64 * KiB))

    assert (found.files, found.bytes) == (10, 640 * KiB)
    assert found.small_files == 10
    assert found.small_seconds == pytest.approx(found.seconds + found.open_seconds)
    assert found.large_bytes == 0
    assert found.large_seconds == 0
    assert found.small_files_per_second == 10 / found.small_seconds
    assert found.bytes_per_second is None


def test_large_files_tell_bandwidth(tmp_path: Path) -> None:
    found = read(files(tmp_path, 1, 3 * MiB))

    assert found.small_files == 0
    assert found.large_bytes == 3 * MiB
    assert found.large_seconds == found.seconds
    assert found.bytes_per_second == 3 * MiB / found.seconds
    assert found.small_files_per_second is None


@pytest.mark.parametrize(("size", "small"), [(MiB, 1), (MiB + 1, 0)])
def test_boundary_between_small_and_large(tmp_path: Path, size: int, small: int) -> None:
    assert read(files(tmp_path, 1, size)).small_files == small


def test_files_on_a_disk_are_read_from_it(tmp_path: Path) -> None:
    if not on_a_disk(tmp_path):
        pytest.skip("the temporary folder is on no disk")
    made = files(tmp_path, 8, 256 * KiB)
    for file, _ in made:
        file.read_bytes()

    found = read(made)

    assert found.cold
    assert found.from_device is not None
    assert found.from_device >= 8 * 256 * KiB


def test_tmpfs_is_never_cold() -> None:
    folder = Path("/dev/shm") / f"pipedoctor-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as reason:
        pytest.skip(f"no /dev/shm to write in: {reason}")
    try:
        found = read(files(folder, 4, 64 * KiB))
    finally:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()

    assert not found.cold
    assert found.from_device == 0


def test_dirty_pages_are_neither_written_nor_called_cold(tmp_path: Path) -> None:
    if not on_a_disk(tmp_path):
        pytest.skip("the temporary folder is on no disk")
    fresh = tmp_path / "fresh"
    fresh.write_bytes(os.urandom(256 * KiB))

    assert not read([(fresh, 256 * KiB)]).cold


def test_never_more_than_agreed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_read_module, "MAX_BYTES", 5 * MiB)
    monkeypatch.setattr(cold_read_module, "MAX_BYTES_PER_FILE", 2 * MiB)

    found = read(files(tmp_path, 4, 3 * MiB))

    assert (found.files, found.bytes) == (3, 5 * MiB)


def test_never_longer_than_agreed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_read_module, "READ_TIMEOUT", 0.0)
    began = time.monotonic()

    with pytest.raises(UnreadableError):
        read(files(tmp_path, 3, KiB))

    assert time.monotonic() - began < 5


def test_files_spread_over_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_read_module, "MAX_FILES", 3)
    said: list[str] = []

    cold_read(HERE, files(tmp_path, 10, KiB), said.append)

    opened = [word for word in said if word.startswith("open ")]
    assert opened == [f"open {tmp_path}/{number}.bin" for number in (0, 3, 6)]
    assert said[0] == "look for files in use"
    assert said[2] == f"read {tmp_path}/0.bin"


def test_odd_files_are_passed_over(tmp_path: Path) -> None:
    ((good, size),) = files(tmp_path, 1, KiB)
    twin, link, pipe = tmp_path / "twin", tmp_path / "link", tmp_path / "pipe"
    (tmp_path / "first").write_bytes(b"x" * KiB)
    os.link(tmp_path / "first", twin)
    link.symlink_to(good)
    os.mkfifo(pipe)
    odd = [twin, link, pipe, tmp_path, tmp_path / "gone"]

    found = read([*((path, KiB) for path in odd), (good, size)])

    assert found.files == 1


@pytest.mark.parametrize("size", [0, KiB])
def test_nothing_to_read(tmp_path: Path, size: int) -> None:
    with pytest.raises(UnreadableError, match="no file to read"):
        read([(tmp_path / "gone", size)])


def test_file_that_was_cut_short_since(tmp_path: Path) -> None:
    ((file, _),) = files(tmp_path, 1, KiB)

    assert read([(file, 1000 * MiB)]).bytes == KiB


def test_access_time_stays(tmp_path: Path) -> None:
    ((file, size),) = files(tmp_path, 1, KiB)
    os.utime(file, (1, 1))
    before = file.stat()

    read([(file, size)])

    after = file.stat()
    if os.geteuid() == before.st_uid:
        assert after.st_atime == 1
    assert after.st_mtime == 1


def test_open_of_another_users_file_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((file, size),) = files(tmp_path, 1, KiB)
    real = os.open

    def strict(path: Path, flags: int) -> int:
        if flags & os.O_NOATIME:
            raise PermissionError
        return real(path, flags)

    monkeypatch.setattr(os, "open", strict)

    assert read([(file, size)]).files == 1


def test_platform_that_cannot_drop_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fadvise")

    with pytest.raises(UnreadableError, match="darwin cannot drop a file"):
        cold_read(Machine(system="darwin"), [], lambda _: None)


def test_kernel_that_counts_no_reads(tmp_path: Path) -> None:
    made = files(tmp_path, 1, KiB)
    (tmp_path / "proc/12").mkdir(parents=True)

    assert cold_read(Machine(root=tmp_path), made, lambda _: None).from_device is None


def test_kernel_without_reads_that_do_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.preadv

    def old(descriptor: int, buffers: list[bytearray], at: int, flags: int = 0) -> int:
        if flags:
            raise OSError(95, "Operation not supported")
        return real(descriptor, buffers, at)

    monkeypatch.setattr(os, "preadv", old)

    assert read(files(tmp_path, 1, KiB)).files == 1


def test_lock_is_not_in_the_way(tmp_path: Path) -> None:
    ((file, size),) = files(tmp_path, 1, KiB)
    with file.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(UnreadableError):
            read([(file, size)])
