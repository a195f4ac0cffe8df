"""A dataset is surveyed within bounds, and what could not be seen has a reason."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.plan import CollectionRequest, collect_facts
from pipedoctor.collect.storage.dataset_walk import walk_dataset
from pipedoctor.collect.storage.datasets import dataset
from pipedoctor.facts import DataSet, DataSets, Sample, UnreadableError
from pipedoctor.runtime.lanes import run_in_processes
from pipedoctor.runtime.probe import Announce, Probe

HERE = Machine()


def nothing(_: str) -> None:
    return


def survey(path: Path, *, quick: bool = True, machine: Machine = HERE) -> DataSet:
    return dataset(machine, str(path), quick, nothing)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for kind in ("cat", "dog"):
        folder = tmp_path / "photos" / kind
        folder.mkdir(parents=True)
        for number in range(10):
            (folder / f"{number}.JPG").write_bytes(b"x" * 100)
    (tmp_path / "photos" / "labels").write_bytes(b"y" * 50)
    return tmp_path / "photos"


def test_whole_data_set(photos: Path) -> None:
    found = survey(photos)

    assert found.path == str(photos)
    assert found.sample is not None
    assert found.sample == Sample(
        files=21,
        bytes=2050,
        complete=True,
        seconds=found.sample.seconds,
        suffixes={".jpg": 20, "": 1},
    )
    assert found.mount is not None
    assert found.stack
    assert found.unknown["cold_read"] == "--quick: no file is read"
    assert found.cold_read is None


def test_not_quick_reads_files(photos: Path) -> None:
    found = survey(photos, quick=False)

    assert found.cold_read is not None
    assert found.cold_read.files == 21
    assert "cold_read" not in found.unknown


def test_a_file_is_a_data_set_too(photos: Path) -> None:
    found = survey(photos / "labels", quick=False)

    assert found.sample is not None
    assert (found.sample.files, found.sample.bytes) == (1, 50)
    assert found.cold_read is not None


def test_empty_data_set(tmp_path: Path) -> None:
    found = survey(tmp_path, quick=False)

    assert found.sample is not None
    assert found.sample.files == 0
    assert found.unknown["cold_read"] == "there is no regular file in it"


def test_files_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()

    found = survey(tmp_path, quick=False)

    assert found.unknown["cold_read"].startswith("no file to read")


def test_no_such_directory(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"^no such directory$"):
        survey(tmp_path / "none")


def test_only_on_linux(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="only available on Linux"):
        survey(tmp_path, machine=Machine(system="darwin"))


def test_mount_that_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()

    found = dataset(Machine(root=tmp_path), "/data", True, nothing)

    assert found.mount is None
    reason = "mountinfo lists no mount for it"
    assert found.unknown["mount"] == found.unknown["disks"] == reason


def test_disks_that_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "proc/self").mkdir(parents=True)
    line = "1 0 0:61 / / rw - zfs tank rw"
    (tmp_path / "proc/self/mountinfo").write_text(line)

    found = dataset(Machine(root=tmp_path), "/data", True, nothing)

    assert found.stack == ("zfs tank",)
    assert "zpool status" in found.unknown["disks"]


def test_missing_data_set_keeps_its_mount_and_its_reason(tmp_path: Path) -> None:
    inquiry = CollectionRequest(data=(str(tmp_path / "none"),), quick=True)

    facts = collect_facts(inquiry, deadline=20).get(DataSets)

    assert facts is not None
    (entry,) = facts.entries
    assert entry.mount is not None
    assert entry.unknown["sample"] == "no such directory"


# The walk.


def test_links_and_odd_files_do_not_count(photos: Path) -> None:
    (photos / "again").symlink_to(photos / "cat")
    (photos / "one").symlink_to(photos / "labels")
    os.mkfifo(photos / "pipe")

    seen = walk_dataset(photos, nothing)

    assert len(seen.files) == 21
    assert seen.complete


def test_bounded_in_files(photos: Path) -> None:
    assert len(walk_dataset(photos, nothing, max_files=21).files) == 21
    assert walk_dataset(photos, nothing, max_files=21).complete
    cut = walk_dataset(photos, nothing, max_files=20)
    assert len(cut.files) == 20
    assert not cut.complete


def test_bounded_in_time(photos: Path) -> None:
    cut = walk_dataset(photos, nothing, timeout=-1.0)

    assert cut.files == []
    assert not cut.complete


def test_empty_folders_count_against_the_time(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / str(number)).mkdir()

    def slowly(_: str) -> None:
        time.sleep(0.02)

    assert not walk_dataset(tmp_path, slowly, timeout=0.2).complete


def test_commonest_suffixes_only(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"a.{number:02}").touch()
        (tmp_path / f"b{number}.jpg").touch()

    suffixes = walk_dataset(tmp_path, nothing).sample.suffixes

    assert len(suffixes) == 20
    assert suffixes[".jpg"] == 30


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"a.\xff")).touch()
    (tmp_path / os.fsdecode(b"\xfe")).mkdir()
    said: list[str] = []

    seen = walk_dataset(tmp_path, said.append)

    assert seen.sample.suffixes == {".\\xff": 1}
    assert said[1] == f"listdir {tmp_path}/\\xfe"


def test_folder_that_may_not_be_listed(photos: Path) -> None:
    if os.geteuid():
        pytest.skip("only root may become somebody else")
    temporary = Path(tempfile.gettempdir())
    for folder in (photos, *photos.parents):
        if temporary in folder.parents:
            folder.chmod(0o755)
    (photos / "cat").chmod(0o700)

    def as_somebody_else(_announce: Announce) -> tuple[int, bool]:
        os.setgroups([])
        os.setgid(54321)
        os.setuid(54321)
        seen = walk_dataset(photos, lambda _: None)
        return len(seen.files), seen.complete

    # A lane is a process of its own that needs no interpreter it could not read.
    done = run_in_processes(
        [Probe(name="walk", work=as_somebody_else)], until=time.monotonic() + 20
    )

    assert done["walk"].value == [11, False]
