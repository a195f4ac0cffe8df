"""Copies to a GPU: what runs without one, and the answer that there is none."""

import contextlib
import functools
import os
import sys
import time
from collections.abc import Generator
from typing import Any

import pytest

from pipedoctor.bench.inside import transfer as inside
from pipedoctor.bench.transfer import as_fact, measure
from pipedoctor.bench.transfer_words import sheet
from pipedoctor.bench.window import Meter
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Quality, Unreadable

torch = pytest.importorskip("torch")

SAID: dict[str, Any] = {
    "device": "NVIDIA T4",
    "torch": "2.13.0",
    "batch_bytes": 1000,
    "copies": {
        "pageable": [[0.4, 0.4]] * 3,
        "pinned, non_blocking": [[0.1, 0.01], [0.2, 0.01], [0.1, 0.02]],
    },
    "steps": {
        "compute alone": [0.1] * 3,
        "pageable, then compute": [0.5] * 3,
        "pinned and non_blocking": [0.2] * 3,
        "prefetched on a side stream": [0.12] * 3,
    },
}


def test_what_is_hidden_of_a_copy() -> None:
    found = as_fact(SAID, Machine(), Quality(windows=1), 3.0)

    assert [copy.rate.value for copy in found.copies] == [2500, 10_000]
    assert {step.name: round(step.hidden or 0, 3) for step in found.steps} == {
        "pageable, then compute": 0.0,
        "pinned and non_blocking": 0.0,
        "prefetched on a side stream": 0.8,
    }
    page = sheet(found)
    assert page.title == "Copying 1000 B to NVIDIA T4"
    assert page.said == (
        "Pinned memory is copied 4.00 times as fast as pageable memory.",
        "A side stream hides 80% of the copy behind computing.",
    )


def test_without_torch_it_says_why(calm: Meter, tmp_path: Any) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('no torch today')")
    environ = os.environ | {"PYTHONPATH": str(tmp_path)}

    with pytest.raises(Unreadable, match="cannot be imported: no torch today"):
        measure(sys.executable, environ, batch_bytes=1, budget=5.0, meter=calm)


def test_a_torch_that_crashes_is_said(calm: Meter, tmp_path: Any) -> None:
    (tmp_path / "torch.py").write_text("import os; os.kill(os.getpid(), 11)")
    environ = os.environ | {"PYTHONPATH": str(tmp_path)}

    with pytest.raises(Unreadable, match="ended with SIGSEGV"):
        measure(sys.executable, environ, batch_bytes=1, budget=5.0, meter=calm)


def test_a_build_for_cuda_without_a_device() -> None:
    class Version:
        cuda = "13.0"

    class Torch:
        __version__ = "2.13.0+cu130"
        version = Version

    assert inside.no_gpu(Torch).endswith("finds none (torch.cuda.is_available())")


def test_copies_bring_the_bytes() -> None:
    host = torch.arange(10.0)
    ways = inside.copies(host, torch.zeros(10), lambda tensor: tensor.clone())

    assert len(ways) == 5
    for way in ways.values():
        assert torch.equal(way(), host)


def test_rounds_leave_out_the_first_two() -> None:
    done: list[str] = []
    ways = {name: functools.partial(done.append, name) for name in "ab"}

    found = inside.rounds(ways, lambda: None, 0.0)

    assert done == ["a", "b"] * 5
    assert [len(rows) for rows in found.values()] == [3, 3]
    assert all(total >= back >= 0 for total, back in found["a"])


def test_computing_takes_about_as_long_as_asked() -> None:
    cpu = torch.device("cpu")
    compute = inside.computing(torch, cpu, lambda: None, 0.01, edge=64)
    began = time.perf_counter()
    compute()

    assert time.perf_counter() > began


def test_one_stream_copies_every_batch() -> None:
    computed: list[int] = []

    inside.one_stream(
        torch.ones(3), torch.device("cpu"), lambda: computed.append(1), wait=True
    )
    inside.alone(lambda: computed.append(1))

    assert len(computed) == 24


class Streams:
    """What `torch.cuda` gives, in one order: who waited for whom is written down."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def Stream(self, _device: object) -> "Streams":  # noqa: N802  (as in torch)
        return self

    def current_stream(self, _device: object) -> "Streams":
        return self

    @contextlib.contextmanager
    def stream(self, _stream: object) -> Generator[None]:
        yield

    def wait_stream(self, _other: object) -> None:
        self.said.append("wait")


class Batch:
    """Pinned memory that writes down what is done with it."""

    def __init__(self, said: list[str], name: str) -> None:
        self._said, self._name = said, name

    def to(self, _device: object, *, non_blocking: bool) -> "Batch":
        assert non_blocking
        self._said.append(f"copy {self._name}")
        return self

    def record_stream(self, _stream: object) -> None:
        self._said.append(f"record {self._name}")


def test_the_side_stream_copies_one_batch_ahead() -> None:
    class Torch:
        cuda = Streams()

    said = Torch.cuda.said
    pinned = [Batch(said, "a"), Batch(said, "b")]

    inside.side_stream(Torch, pinned, None, lambda: said.append("compute"))

    first = ["copy a", "wait", "record a", "copy b", "compute"]
    second = ["wait", "record b", "copy a", "compute"]
    assert said[:9] == first + second
    assert said.count("compute") == 12


@pytest.mark.gpu
def test_a_real_gpu(calm: Meter) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no GPU")

    found = measure(
        sys.executable, os.environ, batch_bytes=1 << 24, budget=10.0, meter=calm
    )

    assert found.device
    assert len(found.copies) == 5
    assert len(found.steps) == 3
