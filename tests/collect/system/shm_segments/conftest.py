"""A /dev/shm and a /proc of our own making, and what is seen of segments in them."""

from pathlib import Path

import pytest

from pipedoctor.collect.system.shm_segments import (
    SegmentScan,
    scan_segments,
)

DEAD = "torch_4711_1_0"
INITIAL = "pid:[4026531836]"


@pytest.fixture
def shm(tmp_path: Path) -> Path:
    folder = tmp_path / "shm"
    folder.mkdir()
    (folder / DEAD).write_bytes(b"x" * 5000)
    return folder


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    folder = tmp_path / "proc"
    (folder / "self/ns").mkdir(parents=True)
    (folder / "self/ns/pid").symlink_to(INITIAL)
    (folder / "meminfo").write_text("")
    process(folder, 1)
    return folder


def process(
    proc: Path,
    pid: int,
    *,
    state: str = "S",
    flags: int = 0,
    maps: str = "",
    space: str = INITIAL,
) -> Path:
    folder = proc / str(pid)
    (folder / "fd").mkdir(parents=True)
    (folder / "ns").mkdir()
    (folder / "ns/pid").symlink_to(space)
    (folder / "ns/mnt").symlink_to(f"mnt:{pid}")
    (folder / "maps").write_text(maps)
    (folder / "stat").write_text(f"{pid} (a) b) {state} 1 2 3 4 5 {flags} 7\n")
    return folder


def look(shm: Path, proc: Path, *, initial: bool = True, private: bool = False) -> SegmentScan:
    return scan_segments(shm, proc, lambda _: None, initial=initial, private=private)
