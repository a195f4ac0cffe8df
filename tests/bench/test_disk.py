"""Storage is read in bounded pieces, and what was not cold is not called so."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.bench import disk
from pipedoctor.bench.disk import DiskBench
from pipedoctor.bench.disk_plan import (
    ReadableFiles,
    ReadingPlan,
    build_cold_read,
    build_jobs,
    build_reading,
)
from pipedoctor.bench.disk_text import build_sheet
from pipedoctor.bench.file_reading import ReadJob, ReadOptions, read_jobs
from pipedoctor.bench.window import CpuMeter
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import BenchDisk, DataSet, Hang, Host, UnreadableError
from pipedoctor.facts.bench_disk import DiskReading
from pipedoctor.runtime import lanes
from pipedoctor.runtime.probe import Announce, Outcome, Probe
from pipedoctor.units import MiB


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for number in range(30):
        (tmp_path / f"{number}.jpg").write_bytes(os.urandom(20_000))
    (tmp_path / "shard.tar").write_bytes(os.urandom(3 * MiB))
    return tmp_path


def test_every_pattern_is_read_cold_and_warm(data: Path, calm: CpuMeter) -> None:
    before = {path: path.read_bytes() for path in data.iterdir()}

    found = DiskBench(str(data), budget=6.0, meter=calm).run()

    said = {(r.pattern, r.cache, r.readers): r for r in found.readings}
    assert len(said) == 8
    for pattern in ("small files", "sequential", "random"):
        warm = said[pattern, "warm", 1]
        assert warm.rate is not None
        assert warm.operations_per_second is not None
        cold = said[pattern, "cold", 1]
        assert (cold.rate is None) == bool(cold.unknown)
        assert cold.bytes <= 256 * MiB
    assert found.dataset.sample is not None
    assert found.dataset.sample.files == 31
    assert {path: path.read_bytes() for path in data.iterdir()} == before


def here(probes: list[Probe], **_: Any) -> dict[str, Outcome]:
    """Do it in this process, where what it does can be watched."""
    return {probe.name: Outcome(value=probe.work(announce)) for probe in probes}


def announce(_doing: str) -> None:
    """Nobody has to know."""


def test_what_others_have_open_is_not_dropped(
    data: Path, calm: CpuMeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped: list[bytes] = []

    def drop(paths: list[bytes], _: Any) -> list[bytes]:
        dropped.extend(paths)
        return paths

    def in_use(_: Machine, paths: list[Path]) -> set[Path]:
        return {path for path in paths if path.name in {"3.jpg", "shard.tar"}}

    monkeypatch.setattr(lanes, "run_in_processes", here)
    monkeypatch.setattr(disk, "drop_cached_pages", drop)
    monkeypatch.setattr(disk, "find_files_in_use", in_use)

    found = DiskBench(str(data), budget=2.0, meter=calm).run()

    names = {Path(os.fsdecode(path)).name for path in dropped}
    assert "4.jpg" in names
    assert not names & {"3.jpg", "shard.tar"}
    busy = {r.unknown for r in found.readings if r.pattern == "sequential"}
    assert "all its files are in use, links or unreadable" in busy


def test_memory_is_never_called_cold(calm: CpuMeter) -> None:
    folder = Path("/dev/shm") / f"pipedoctor-test-{os.getpid()}"
    folder.mkdir()
    try:
        for number in range(20):
            (folder / f"{number}.bin").write_bytes(b"x" * 10_000)
        found = DiskBench(str(folder), budget=3.0, meter=calm).run()
    finally:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()

    cold = [r for r in found.readings if r.cache == "cold" and r.bytes]
    assert cold
    assert all(reading.rate is None for reading in cold)
    assert all("cache" in reading.unknown for reading in cold)
    assert found.dataset.cold_read is None
    assert "small files, cold" in {row[0] for row in build_sheet(found).rows}


def test_a_crowded_machine_gives_no_number(data: Path, crowded: CpuMeter) -> None:
    found = DiskBench(str(data), budget=4.0, meter=crowded).run()

    assert all(reading.rate is None for reading in found.readings)
    assert found.quality.refused
    assert "too much for a reliable measurement" in found.quality.why_refused


def test_no_time_is_said(data: Path, calm: CpuMeter) -> None:
    found = DiskBench(str(data), budget=0.1, meter=calm).run()

    assert {r.unknown for r in found.readings} == {"no time left in the budget"}


def test_a_walk_that_the_budget_ends_is_no_hang(
    data: Path, calm: CpuMeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(_place: Path, announce: Announce, **_: float) -> None:
        announce("listdir /data")
        time.sleep(60)

    monkeypatch.setattr("pipedoctor.bench.disk.walk_dataset", slow)
    found = DiskBench(str(data), budget=0.2, meter=calm).run()

    assert found.dataset.hang is None
    (why,) = {r.unknown for r in found.readings}
    assert why == "no time left in the budget (listdir /data)"


def test_a_read_that_is_late_does_not_stretch_the_budget(
    data: Path, calm: CpuMeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object) -> None:
        time.sleep(60)

    monkeypatch.setattr("pipedoctor.bench.disk.read_jobs", late)
    began = time.monotonic()

    found = DiskBench(str(data), budget=1.5, meter=calm).run()

    assert time.monotonic() - began < 4
    assert "no answer after" in found.readings[0].unknown


@pytest.mark.extended
def test_little_time_is_not_shared_out_until_nobody_has_enough(data: Path, calm: CpuMeter) -> None:
    found = DiskBench(str(data), budget=2.5, meter=calm).run()

    assert found.readings[0].unknown != "no time left in the budget"


def test_what_is_not_there_is_said(tmp_path: Path, calm: CpuMeter) -> None:
    (tmp_path / "a.txt").write_text("small")

    found = DiskBench(str(tmp_path), budget=3.0, meter=calm).run()

    assert {r.unknown for r in found.readings if r.pattern != "small files"} == {
        "no file larger than 1 MiB"
    }


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing", "no such directory"), (".", "it contains no file that is not empty")],
)
def test_nothing_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UnreadableError, match=reason):
        DiskBench(name, budget=2.0).run()


def test_ctrl_c_gives_what_is_known(data: Path, calm: CpuMeter) -> None:
    done: list[str] = []

    def tell(doing: str) -> None:
        done.append(doing)
        if doing.startswith("small files warm"):
            raise KeyboardInterrupt

    found = DiskBench(str(data), budget=6.0, meter=calm, report_progress=tell).run()

    assert found.interrupted
    assert 1 <= len(found.readings) < 8
    assert "Interrupted" in " ".join(build_sheet(found).notes)


def test_names_that_are_no_text(tmp_path: Path, calm: CpuMeter) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.jpg"
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(b"x" * 5000)

    found = DiskBench(str(tmp_path), budget=3.0, meter=calm).run()

    assert any(reading.bytes == 5000 for reading in found.readings)


COLD = ReadingPlan(pattern="small files", cold=True, readers=1)


def counted(**more: object) -> dict[str, object]:
    windows = [{"operations": 10, "bytes": 1000, "seconds": 0.5}] * 3
    return {"windows": windows, "missed": None, "device": None, **more}


@pytest.mark.parametrize(
    ("said", "unknown"),
    [
        (counted(missed=0.5), ""),
        (counted(missed=0.49), "the page cache could not be bypassed"),
        (counted(missed=0.1, device=1500), ""),
        (counted(missed=0.1, device=1469), "the page cache could not be bypassed"),
        (counted(), "cannot determine on this machine whether the data came from a cache"),
        (counted(device=0), "cannot determine on this machine whether the data came from a cache"),
    ],
    ids=["half", "less", "device", "too little", "unknown", "not counted"],
)
def test_cold_only_where_storage_was_read(said: dict[str, object], unknown: str) -> None:
    found = build_reading(COLD, said)

    assert found.unknown == unknown
    assert (found.rate is None) == bool(unknown)
    assert found.operations == 30
    assert found.bytes == 3000


def test_the_words_of_check() -> None:
    found = build_cold_read([build_reading(COLD, counted(missed=1.0))])

    assert found is not None
    assert found.cold
    assert found.small_files_per_second == pytest.approx(20.0)
    assert found.bytes_per_second is None
    assert build_cold_read([DiskReading(pattern="random", cache="cold")]) is None


def test_each_job_is_read_once_by_many(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(os.urandom(100_000))
    jobs = [ReadJob(bytes(path), at, 1000) for at in range(0, 100_000, 1000)]

    found = read_jobs(Machine(), jobs, ReadOptions(readers=8, windows=4, seconds=20), print)

    assert [w["operations"] for w in found["windows"]] == [25, 25, 25, 25]
    assert sum(w["bytes"] for w in found["windows"]) == 100_000
    assert found["errors"] == 0


def test_bytes_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100_000)
    jobs = [ReadJob(bytes(path), 0, 10_000)] * 100

    found = read_jobs(Machine(), jobs, ReadOptions(windows=1, seconds=20, max_bytes=50_000), print)

    assert sum(w["bytes"] for w in found["windows"]) == 50_000


def test_files_that_went_away_are_errors_not_readings(tmp_path: Path) -> None:
    found = read_jobs(Machine(), [ReadJob(bytes(tmp_path / "gone"))], ReadOptions(), print)

    assert found["windows"] == []
    assert found["errors"] == 1


def test_readers_get_different_files() -> None:
    files = ReadableFiles(small=[b"%d" % n for n in range(10)])
    one = {job.path for job in build_jobs(COLD, files)}
    many = {
        job.path
        for job in build_jobs(ReadingPlan(pattern="small files", cold=True, readers=8), files)
    }

    assert one | many == set(files.small)
    assert not one & many


def test_a_path_that_hangs_is_the_result() -> None:
    found = BenchDisk(
        host=Host(cpus=2, effective=2),
        dataset=DataSet(path="/mnt/x", hang=Hang(doing="listdir /mnt/x", seconds=8.0)),
    )

    assert build_sheet(found).conclusions == (
        "It does not answer: listdir /mnt/x took more than 8 s.",
    )
