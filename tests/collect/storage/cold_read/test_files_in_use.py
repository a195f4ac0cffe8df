"""Which files other processes have open or mapped, as far as one can see."""

import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.storage import open_files
from pipedoctor.collect.storage.open_files import find_files_in_use
from tests.collect.storage.cold_read.conftest import HERE, files, read

KiB, MiB = 1 << 10, 1 << 20

pytestmark = pytest.mark.skipif(
    not hasattr(os, "posix_fadvise"), reason="no posix_fadvise on this platform"
)


# Files in use.


@pytest.fixture
def held(tmp_path: Path) -> Iterator[list[Path]]:
    """Three files: one open, one mapped, one free."""
    paths = [path for path, _ in files(tmp_path, 3, 8 * KiB)]
    script = (
        "import mmap, os, sys, time\n"
        "opened = open(sys.argv[1])\n"
        "descriptor = os.open(sys.argv[2], os.O_RDONLY)\n"
        "mapped = mmap.mmap(descriptor, 4096, prot=mmap.PROT_READ)\n"
        "os.close(descriptor)\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, *map(str, paths[:2])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        yield paths
        process.kill()


def test_open_and_mapped_files_are_seen(held: list[Path]) -> None:
    opened, mapped, free = held

    found = find_files_in_use(HERE, held)

    assert opened in found
    assert mapped in found or not hasattr(mmap, "PROT_READ")
    assert free not in found


def test_open_and_mapped_files_are_left_alone(held: list[Path]) -> None:
    found = read([(path, 8 * KiB) for path in held])

    assert found.files == 1


def test_all_count_as_in_use_when_time_runs_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_files, "SEARCH_TIMEOUT", -1.0)
    free = tmp_path / "free"

    assert find_files_in_use(HERE, [free]) == {free}


def test_without_a_process_in_sight_every_file_may_be_in_use(tmp_path: Path) -> None:
    made = [tmp_path / "a", tmp_path / "b"]

    assert find_files_in_use(Machine(root=tmp_path), made) == set(made)


def test_processes_out_of_sight(tmp_path: Path) -> None:
    (tmp_path / "proc/12").mkdir(parents=True)
    (tmp_path / "proc/12/fd").write_text("not a folder")
    (tmp_path / "proc/13/fd").mkdir(parents=True)
    (tmp_path / "proc/13/fd/0").write_text("no link")
    (tmp_path / "proc/13/fd/1").symlink_to("/data/a")
    (tmp_path / "proc/13/maps").write_text("00-01 r--p 0 08:01 7   /data/b\n00-01 rw\n")
    (tmp_path / "proc/meminfo").touch()
    names = [tmp_path / "data" / name for name in "abc"]

    assert find_files_in_use(Machine(root=tmp_path), names) == set(names[:2])
