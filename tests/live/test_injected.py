"""What `watch --inject` runs in a job: clocks that take themselves off again."""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader, TensorDataset, dataloader  # noqa: E402

import pipedoctor.live  # noqa: E402
from pipedoctor.live import injected  # noqa: E402

pytestmark = pytest.mark.torch
KIND: Any = vars(dataloader)["_BaseDataLoaderIter"]


def iterate() -> None:
    assert len(list(DataLoader(TensorDataset(torch.zeros(8)), batch_size=2))) == 4


def state(folder: Path, kind: str) -> Any:
    return json.loads((folder / f"{os.getpid()}.{kind}").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """As `watch` makes it, wanted for an hour."""
    made = tmp_path / "inject"
    made.mkdir()
    shutil.copy(Path(str(pipedoctor.live.__file__)).with_name("clocks.py"), made)
    until = time.time() + 3600
    (made / injected.LEASE).touch()
    os.utime(made / injected.LEASE, (until, until))
    plain = KIND.__next__
    yield made
    injected.stop()
    assert KIND.__next__ is plain


def test_figures_are_written_and_nothing_is_left_behind(folder: Path) -> None:
    modules, plain = set(sys.modules), KIND.__next__
    injected.start(str(folder), injected)
    assert state(folder, "state") == {"reason": ""}
    assert injected.belongs_to(str(folder))
    iterate()
    injected.stop()

    (figures,) = state(folder, "json")["loaders"]
    assert (figures["steps"], figures["epochs"]) == (4, 1)
    assert state(folder, "stopped") == {}
    assert KIND.__next__ is plain
    assert not {name for name in set(sys.modules) - modules if "pipedoctor" in name}


def test_they_take_themselves_off_when_nobody_asks_for_them(folder: Path) -> None:
    plain = KIND.__next__
    injected.start(str(folder), injected)
    os.utime(folder / injected.LEASE, (0, 0))
    iterate()

    assert KIND.__next__ is plain
    assert not folder.exists()


def test_clocks_that_are_there_already_are_kept(folder: Path) -> None:
    with pipedoctor.live.clocks():
        injected.start(str(folder), injected)
    assert state(folder, "state") == {"reason": "it has such clocks already"}
    assert not injected.is_wanted()


def test_a_second_watch_is_told(folder: Path) -> None:
    injected.start(str(folder), injected)
    injected.start(str(folder), injected)

    assert state(folder, "state") == {"reason": "it has such clocks already"}
    assert injected.is_wanted()


def test_what_somebody_has_put_around_them_stays(folder: Path) -> None:
    plain: Any = KIND.__next__
    injected.start(str(folder), injected)
    ours: Any = KIND.__next__

    def around(iterator: Any) -> Any:
        return ours(iterator)

    KIND.__next__ = around
    injected.stop()

    assert KIND.__next__ is around
    iterate()
    KIND.__next__ = plain
