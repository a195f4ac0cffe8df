"""Clocks and traces around a dataset, in this process."""

import gc
import os
import signal
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Iterator
from multiprocessing import queues
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.utils.data._utils.fetch as fetching
from torch.utils.data import DataLoader, Dataset, IterableDataset

from pipedoctor.bottleneck import function_kinds
from pipedoctor.facts import Setting
from pipedoctor.tune.target import clocks, trace, trial
from pipedoctor.tune.target.batch import fingerprint_batch
from pipedoctor.tune.target.loader_failure import (
    EmptyLoaderError,
    LoaderFailedError,
    describe_failure,
)
from pipedoctor.tune.target.process_tree import find_descendants, find_tree

PACKED = zlib.compress(bytes(200_000))


class Samples(Dataset[Any]):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        time.sleep(0.002)
        return float(len(zlib.decompress(PACKED)))


class Together(Samples):
    def __getitems__(self, indices: list[int]) -> Any:
        return [float(index) for index in indices]


class Stream(IterableDataset[Any]):
    def __iter__(self) -> Any:
        return (float(i) for i in range(8))


@pytest.fixture
def own_clocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put torch's own back afterwards."""
    for kind in ("_MapDatasetFetcher", "_IterableDatasetFetcher"):
        fetcher = getattr(fetching, kind)
        monkeypatch.setattr(fetcher, "fetch", fetcher.fetch)
    pickler = vars(queues)["_ForkingPickler"]
    monkeypatch.setattr(queues, "_ForkingPickler", pickler)
    known = len(gc.callbacks)
    yield
    del gc.callbacks[known:]


DATA: dict[str, tuple[Any, dict[str, Any], int]] = {
    "one by one": (Samples(), {"batch_size": 4}, 8),
    "together": (Together(), {"batch_size": 4}, 0),
    "without batches": (Samples(), {"batch_size": None}, 8),
    "a stream": (Stream(), {"batch_size": 4}, 0),
}


@pytest.mark.usefixtures("own_clocks")
@pytest.mark.parametrize(("data", "options", "items"), DATA.values(), ids=DATA)
def test_clocks_change_nothing(data: Any, options: dict[str, Any], items: int) -> None:
    plain = [str(batch) for batch in DataLoader(data, **options)]
    recorder = clocks.BatchRecorder(items=True)
    recorder.install_clocks()
    assert [str(batch) for batch in DataLoader(data, **options)] == plain
    (totals,) = recorder.read_totals(0)
    assert totals["batches"] == len(plain)
    assert len(recorder.read_item_times(0)) == items
    if items:
        assert totals["fetch_wall"] >= 8 * 0.0015  # a virtual clock may lag behind a sleep
        assert totals["fetch_cpu"] < 8 * 0.002
        assert all(wall >= 0.0015 for wall, _ in recorder.read_item_times(0))


@pytest.mark.usefixtures("own_clocks")
def test_clocks_in_a_worker() -> None:
    recorder = clocks.BatchRecorder(items=False)
    recorder.install_clocks()
    context: dict[str, Any] = {"num_workers": 1, "multiprocessing_context": "fork"}
    assert len(list(DataLoader(Samples(), batch_size=1, **context))) == 8
    (totals,) = recorder.read_totals(1)
    assert totals["batches"] == 8
    assert totals["send_wall"] > 0  # told with a later batch: two may be fetched before
    assert len(recorder.receive_times) >= 2


class Garbage(Samples):
    def __getitem__(self, index: int) -> Any:
        gc.collect()
        return float(index)


@pytest.mark.usefixtures("own_clocks")
def test_a_clock_for_the_garbage_collector() -> None:
    recorder = clocks.BatchRecorder(items=False)
    recorder.install_clocks()
    list(DataLoader(Samples(), batch_size=4))
    (quiet,) = recorder.read_totals(0)
    list(DataLoader(Garbage(), batch_size=4))
    (totals,) = recorder.read_totals(0)
    collected = totals["collector"] - quiet["collector"]
    assert 0 < collected <= totals["fetch_cpu"] - quiet["fetch_cpu"]
    assert quiet["collector"] < collected / 4


@pytest.mark.parametrize("data", [Samples(), Together(), Stream()])
def test_a_trace_gives_shares(data: Any) -> None:
    wall, cpu = trace.trace_stages(DataLoader(data, batch_size=4), 0.05)
    for shares in (wall, cpu):
        assert sum(getattr(shares, kind) for kind in function_kinds.KINDS) == pytest.approx(1)
        assert shares.opened == 0
    if type(data) is Samples:
        assert wall.read > 0.5
        assert cpu.decode > 0.1


class Zipped(Dataset[Any]):
    """Rows of an archive that is opened for each of them, or only once."""

    def __init__(self, path: Path, *, again: bool) -> None:
        self.path, self.again = path, again
        self.kept = zipfile.ZipFile(path)

    def __len__(self) -> int:
        return 500

    def __getitem__(self, index: int) -> bytes:
        if not self.again:
            return self.kept.read(f"{index}")
        with zipfile.ZipFile(self.path) as opened:
            return opened.read(f"{index}")


@pytest.mark.parametrize(("again", "most"), [(True, 1.0), (False, 0.0)])
def test_a_trace_sees_containers_that_are_opened(again: bool, most: float, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "rows.zip", "w") as file:
        for number in range(500):
            file.writestr(f"{number}", b"row")
    data = Zipped(tmp_path / "rows.zip", again=again)

    found = trace.trace_stages(DataLoader(data, batch_size=4), 0.1)

    for shares in found:
        assert most / 2 <= shares.opened <= most
    data.kept.close()


def test_a_library_without_what_opens_containers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "h5py", ModuleType("h5py"))
    assert trace.is_container_opener(zipfile.ZipFile.__init__.__code__)
    assert not trace.is_container_opener(Zipped.__init__.__code__)
    assert not trace.is_container_opener(Zipped.__len__.__code__)


_LOADERS = ("/x/site-packages/torch/serialization.py", "C:\\Python311\\Lib\\json\\decoder.py")
KINDS = {
    "decode_image": function_kinds.DECODE,
    "imread": function_kinds.DECODE,
    "read_bytes": function_kinds.READ,
    "sleep": function_kinds.READ,
    "fetch": function_kinds.READ,
    "random_crop": function_kinds.TRANSFORM,
    "__getitem__": None,
}


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_what_a_function_does(name: str, kind: int | None) -> None:
    assert function_kinds.classify_call(name, "/home/user/data.py") == kind


def test_what_a_file_does() -> None:
    for path in ("/lib/PIL/ImageFile.py", "/usr/lib/python3.11/tarfile.py", *_LOADERS):
        assert function_kinds.classify_call("load", path) == function_kinds.DECODE, path
    for path in ("/home/me/json/data.py", "/code/av/train.py"):
        assert function_kinds.classify_call("load", path) is None, path
    assert function_kinds.classify_call("scan_once", "", "_json.scan_once") == function_kinds.DECODE


def test_a_fault_costs_something() -> None:
    assert 1e-8 < trace.measure_fault_seconds() < 1e-3


def test_the_error_of_a_worker_is_the_original_one() -> None:
    text = (
        "Caught ValueError in DataLoader worker process 0.\n"
        "Original Traceback (most recent call last):\n"
        '  File "/x/torch/worker.py", line 349, in _worker_loop\n'
        '  File "/x/data.py", line 12, in __getitem__\n'
        "    return parsed(index)\n"
        '  File "/x/site-packages/parse/rows.py", line 7, in parsed\n'
        "    raise ValueError(index)\n"
        "ValueError: 7\n"
    )
    assert describe_failure(ValueError(text)) == "ValueError: 7 (data.py:12)"
    assert describe_failure(LoaderFailedError("empty")) == "empty"


def test_nobody_is_below_us() -> None:
    assert 1 not in find_descendants(2**22 + 5)


def test_the_tree_of_a_process_is_itself_and_what_is_below() -> None:
    argv = ["sh", "-c", "sleep 60 & echo; wait"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        assert shell.stdout.readline()
        found = find_tree(shell.pid)
        assert found == find_descendants(shell.pid) | {shell.pid}
        assert len(found) == 2
        for pid in found - {shell.pid}:
            os.kill(pid, signal.SIGKILL)
    assert find_tree(2**22 + 5) == {2**22 + 5}


COPIES: dict[str, tuple[list[str], int, bool, bool]] = {
    "each begins at the beginning": (["a", "a", "b"], 2, True, True),
    "three of them": (["a", "a", "a", "b"], 3, True, True),
    "each has its part": (["a", "b", "c"], 2, True, False),
    "all batches are the same": (["a", "a", "a"], 2, True, False),
    "not seen long enough": (["a", "a"], 2, True, False),
    "in any order": (["a", "a", "b"], 2, False, False),
    "no stream": ([], 2, True, False),
}


@pytest.mark.parametrize(("marks", "workers", "ordered", "said"), COPIES.values(), ids=COPIES)
def test_workers_that_give_the_same(
    marks: list[str], workers: int, ordered: bool, said: bool
) -> None:
    run = trial.TrialRun.__new__(trial.TrialRun)
    run.fingerprints, run.workers = marks, workers
    run.setting = Setting(num_workers=workers, in_order=ordered)
    assert run.has_copies is said


def test_batches_are_told_from_each_other() -> None:
    def one(number: int, name: str) -> Any:
        return {"x": torch.full((100,), number), "name": [name]}

    assert fingerprint_batch(one(1, "a")) == fingerprint_batch(one(1, "a"))
    assert fingerprint_batch(one(1, "a")) != fingerprint_batch(one(2, "a"))
    assert fingerprint_batch(one(1, "a")) != fingerprint_batch(one(1, "b"))
    assert fingerprint_batch(torch.zeros(2, 3)) != fingerprint_batch(torch.zeros(3, 2))


def test_only_streams_are_compared() -> None:
    run = trial.TrialRun.__new__(trial.TrialRun)
    for data, workers, said in (
        (Stream(), 2, True),
        (Stream(), 1, False),
        (Samples(), 2, False),
    ):
        run.loader, run.workers = DataLoader(data), workers
        assert run.is_streaming is said


@pytest.mark.parametrize(
    ("begun", "kind", "why"),
    [
        (
            True,
            LoaderFailedError,
            "it ends, and yields nothing when iterated again",
        ),
        (
            False,
            EmptyLoaderError,
            "the loader yields no batch: its dataset yields nothing",
        ),
    ],
)
def test_a_loader_that_ends_is_told_from_an_empty_one(
    begun: bool, kind: type[Exception], why: str
) -> None:
    run = trial.TrialRun.__new__(trial.TrialRun)
    run.source, run.setting = Stream(), Setting(num_workers=0, batch_size=4)
    run.iterator, run.has_first_batch = iter(()), begun
    with pytest.raises(LoaderFailedError, match=f"^{why}$") as raised:
        run.take_first_batch()
    assert type(raised.value) is kind
