"""The job's loaders: options beat code, code beats the running job."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.code.loader import loader, summarize_calls
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Loader, UnreadableError
from pipedoctor.source.resolve.literal_loader_calls import LiteralLoaderCall

SCRIPT = """
import torch
from torch.utils.data import DataLoader
train = DataLoader(data, num_workers=6, prefetch_factor=4)
val = DataLoader(data, num_workers=2)
"""
LIVE = """
import sys, torch
from torch.utils.data import DataLoader
batches = iter(DataLoader(range(8), num_workers=2))
next(batches), next(batches)  # one of each worker: by then both have their names
print("ready", flush=True)
sys.stdin.read()
"""


def known(given: Loader | None = None, *code: Path, machine: Machine | None = None) -> Loader:
    said: list[str] = []
    here = machine or Machine(system="linux", environ={})
    return loader(here, given, tuple(map(str, code)), said.append)


@pytest.fixture
def train(tmp_path: Path) -> Path:
    file = tmp_path / "train.py"
    file.write_text(SCRIPT)
    return file


def process(root: Path, pid: int, parent: int, name: str) -> None:
    folder = root / "proc" / str(pid)
    folder.mkdir(parents=True)
    (folder / "stat").write_text(f"{pid} ({name}) S {parent} 0 0 0\n")


def test_nobody_says_anything() -> None:
    with pytest.raises(UnreadableError, match="no --workers"):
        known()


def test_options_name_themselves() -> None:
    seen = known(Loader(num_workers=8, batch_bytes=1 << 20))

    assert seen == Loader(
        num_workers=8,
        batch_bytes=1 << 20,
        origin={"num_workers": "--workers", "batch_bytes": "--batch-bytes"},
    )


def test_options_keep_the_origin_they_come_with() -> None:
    seen = known(Loader(num_workers=8, origin={"num_workers": "pipedoctor.toml"}))

    assert seen.origin == {"num_workers": "pipedoctor.toml"}


def test_ranks_alone_are_worth_knowing_when_asked_for() -> None:
    assert known(Loader(ranks=4)).ranks == 4


def test_ranks_of_the_environment_do_not_make_a_job() -> None:
    here = Machine(system="linux", environ={"LOCAL_WORLD_SIZE": "4"})

    with pytest.raises(UnreadableError):
        known(machine=here)
    seen = known(Loader(num_workers=1), machine=here)
    assert (seen.ranks, seen.origin["ranks"]) == (4, "LOCAL_WORLD_SIZE")
    assert known(Loader(num_workers=1, ranks=2), machine=here).ranks == 2


@pytest.mark.parametrize("odd", ["", "0", "-1", "x", "65536", "\u0664"])
def test_odd_ranks_are_none(odd: str) -> None:
    here = Machine(system="linux", environ={"LOCAL_WORLD_SIZE": odd})

    assert known(Loader(num_workers=1), machine=here).ranks is None


def test_code_tells_its_literals_and_where(train: Path) -> None:
    seen = known(None, train)

    assert seen == Loader(
        num_workers=6,
        prefetch_factor=4,
        origin={
            "num_workers": f"{train}:4, the largest of 2",
            "prefetch_factor": f"{train}:4",
        },
    )


def test_options_beat_code_each_on_its_own(train: Path) -> None:
    seen = known(Loader(num_workers=1), train)

    assert (seen.num_workers, seen.prefetch_factor) == (1, 4)
    assert seen.origin["num_workers"] == "--workers"


def test_code_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="No such file"):
        known(None, tmp_path / "nowhere.py")


def test_code_without_literals_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("from torch.utils.data import DataLoader\nDataLoader(x, **a)")

    with pytest.raises(UnreadableError, match="no DataLoader with literals"):
        known(None, file)


def call(
    line: int, workers: int | None, *, path: str = "a.py", persistent: bool = False
) -> LiteralLoaderCall:
    return LiteralLoaderCall(path, line, workers, None, persistent)


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        pytest.param([], {}, id="none"),
        pytest.param([call(1, None)], {}, id="not a literal"),
        pytest.param([call(1, 4)], {"num_workers": (4, "a.py:1")}, id="one"),
        pytest.param(
            [call(1, None), call(2, 4)],
            {"num_workers": (4, "a.py:2, the largest of 2")},
            id="one of two is known",
        ),
        pytest.param(
            [call(1, 4), call(2, 4)],
            {"num_workers": (4, "a.py:1, the largest of 2")},
            id="alike, but they take turns",
        ),
        pytest.param(
            [call(1, 4, persistent=True), call(2, 4, persistent=True)],
            {
                "num_workers": (4, "a.py:1, the largest of 2"),
                "loaders": (2, "a.py:1, 2"),
            },
            id="alike, and both keep their workers",
        ),
        pytest.param(
            [call(1, 4, persistent=True), call(2, 2, persistent=True)],
            {"num_workers": (4, "a.py:1, the largest of 2")},
            id="both keep their workers, one has fewer",
        ),
        pytest.param(
            [call(1, 4, persistent=True), call(2, 4, path="b.py", persistent=True)],
            {"num_workers": (4, "a.py:1, the largest of 2")},
            id="of two programs",
        ),
    ],
)
def test_the_largest_stands_for_all(
    calls: list[LiteralLoaderCall], told: dict[str, tuple[int, str]]
) -> None:
    assert summarize_calls(calls) == told


def test_prefetch_counts_in_what_is_largest() -> None:
    many = LiteralLoaderCall("a.py", 1, 4, None, persistent=False)
    deep = LiteralLoaderCall("a.py", 2, 3, 8, persistent=False)

    assert summarize_calls([many, deep])["num_workers"][0] == 3


def test_running_ranks_are_counted_by_their_workers(tmp_path: Path) -> None:
    process(tmp_path, 10, 1, "torchrun")
    for rank in (20, 30):
        process(tmp_path, rank, 10, "python) (x")
        for worker in range(rank + 1, rank + 4):
            process(tmp_path, worker, rank, "pt_data_worker")
    process(tmp_path, 40, 1, "python")
    process(tmp_path, 41, 40, "pt_data_worker")
    process(tmp_path, 98, 10, "pt_data_worker")
    (tmp_path / "proc/98/stat").write_text("98 (pt_data_worker) S")
    (tmp_path / "proc/99").mkdir()
    (tmp_path / "proc/meminfo").write_text("")

    def at(pid: int, **environ: str) -> Loader:
        return known(machine=Machine(root=tmp_path, system="linux", pid=pid, environ=environ))

    assert at(10) == Loader(
        num_workers=3, ranks=2, origin={"num_workers": "pid 10", "ranks": "pid 10"}
    )
    assert (at(20).num_workers, at(20).ranks) == (3, 1)
    assert at(20, LOCAL_WORLD_SIZE="2").ranks == 2
    for idle in (41, 99):
        with pytest.raises(UnreadableError):
            at(idle)


def test_where_there_is_no_proc_nothing_runs_that_could_be_seen(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError):
        known(machine=Machine(root=tmp_path, system="darwin", pid=1, environ={}))


def test_code_beats_what_runs(tmp_path: Path, train: Path) -> None:
    process(tmp_path, 20, 1, "python")
    process(tmp_path, 21, 20, "pt_data_worker")

    seen = known(None, train, machine=Machine(root=tmp_path, system="linux", pid=20, environ={}))

    assert (seen.num_workers, seen.ranks) == (6, 1)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_real_loader_shows_its_workers() -> None:
    pytest.importorskip("torch")
    with subprocess.Popen(
        [sys.executable, "-c", LIVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as job:
        assert job.stdout
        assert job.stdout.readline() == "ready\n"
        seen = known(machine=Machine(pid=job.pid, environ={}))
        job.communicate("")

    assert seen.num_workers == 2
    assert seen.origin == {"num_workers": f"pid {job.pid}", "ranks": f"pid {job.pid}"}
