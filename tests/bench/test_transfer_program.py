"""The program that copies to a GPU, with a stand-in for torch."""

import contextlib
import functools
import platform
import sys
import time
import types
from collections.abc import Generator
from typing import Any

import pytest

from pipedoctor.bench.programs import transfer as inside
from pipedoctor.bench.transfer import build_fact
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Quality

torch = pytest.importorskip("torch")


def test_a_build_for_cuda_without_a_device() -> None:
    class Version:
        cuda = "13.0"

    class Torch:
        __version__ = "2.13.0+cu130"
        version = Version

    assert inside.explain_no_gpu(Torch).endswith("finds none (torch.cuda.is_available())")


def test_copies_bring_the_bytes() -> None:
    host = torch.arange(10.0)
    ways = inside.build_copies(host, torch.zeros(10), lambda tensor: tensor.clone())

    assert len(ways) == 5
    for way in ways.values():
        assert torch.equal(way(), host)


def test_rounds_leave_out_the_first_two() -> None:
    done: list[str] = []
    ways = {name: functools.partial(done.append, name) for name in "ab"}

    found = inside.time_rounds(ways, lambda: None, 0.0)

    assert done == ["a", "b"] * 5
    assert [len(rows) for rows in found.values()] == [3, 3]
    assert all(total >= back >= 0 for total, back in found["a"])


class Products:
    """A device that multiplies matrices and counts how often."""

    def __init__(self) -> None:
        self.done = 0

    def randn(self, *_shape: int, device: object) -> object:
        return device

    def empty_like(self, other: object) -> object:
        return other

    def mm(self, *_both: object, out: object) -> object:
        self.done += 1
        time.sleep(0.001)
        return out


def test_computing_takes_as_long_as_asked_or_longer() -> None:
    device = Products()
    compute = inside.build_compute(device, None, lambda: None, 0.02)
    tried = device.done
    began = time.perf_counter()
    compute()
    once = (time.perf_counter() - began) / (device.done - tried)

    assert tried == 5 * 20
    # However busy the machine is: no more products than their shortest time allows.
    assert 1 <= device.done - tried <= 22
    assert once >= 0.001


def test_one_stream_copies_every_batch() -> None:
    computed: list[int] = []

    inside.copy_and_compute(
        torch.ones(3), torch.device("cpu"), lambda: computed.append(1), wait=True
    )
    inside.run_compute(lambda: computed.append(1))

    assert len(computed) == 24


class Streams:
    """What `torch.cuda` gives, in one order: who waited for whom is written down."""

    def __init__(self, said: list[str]) -> None:
        self.said, self.made, self.on_side = said, 0, False

    def Stream(self, _device: object) -> "Streams":  # noqa: N802  (as in torch)
        self.made += 1
        return self

    def current_stream(self, _device: object) -> "Streams":
        return self

    @contextlib.contextmanager
    def stream(self, _stream: object) -> Generator[None, None, None]:
        self.on_side = True
        yield
        self.on_side = False

    def wait_stream(self, _other: object) -> None:
        self.said.append("wait")


class Pinned:
    """Pinned memory that writes down what becomes of its copies."""

    def __init__(self, cuda: Streams, number: int = 0) -> None:
        self._cuda, self._number, self._copied = cuda, number, 0

    def to(self, _device: object, *, non_blocking: bool) -> "Pinned":
        assert non_blocking
        assert self._cuda.on_side
        self._copied += 1
        self._cuda.said.append(f"copy {self._copied}")
        return Pinned(self._cuda, self._copied)

    def record_stream(self, _stream: object) -> None:
        assert not self._cuda.on_side
        self._cuda.said.append(f"record {self._number}")


def test_the_side_stream_copies_one_batch_ahead() -> None:
    said: list[str] = []

    class Torch:
        cuda = Streams(said)

    window = inside.build_prefetch_window(
        Torch, Pinned(Torch.cuda), None, lambda: said.append("compute")
    )
    assert said == ["copy 1"]
    window()

    first = ["wait", "record 1", "copy 2", "compute"]
    second = ["wait", "record 2", "copy 3", "compute"]
    assert said[1:9] == first + second
    assert said.count("compute") == 12
    window()

    # Every window copies as often as it computes, on the same stream.
    assert said.count("compute") == 24
    assert said[-2:] == ["copy 25", "compute"]
    assert Torch.cuda.made == 1


class Cuda:
    """`torch.cuda` of a machine whose GPU is its processor."""

    def __init__(self, *, there: bool = True, trouble: str | None = None) -> None:
        self.there, self.trouble = there, trouble

    def is_available(self) -> bool:
        return self.there

    def current_device(self) -> int:
        if self.trouble is not None:
            raise RuntimeError(self.trouble)
        return 0

    def synchronize(self) -> None:
        """Everything is done at once."""

    def get_device_name(self, _device: object) -> str:
        return "stand-in"

    def Stream(self, device: object) -> Streams:  # noqa: N802  (as in torch)
        return Streams([]).Stream(device)

    def current_stream(self, device: object) -> Streams:
        return Streams([]).current_stream(device)

    def stream(self, stream: object) -> contextlib.AbstractContextManager[None]:
        return Streams([]).stream(stream)


def ones(count: int) -> Any:
    """A tensor of the processor that does what tensors of a GPU do."""

    def pin_memory(own: Any) -> Any:
        return own

    def record_stream(own: Any, _stream: object) -> None:
        assert own.numel() == count

    methods = {"pin_memory": pin_memory, "record_stream": record_stream}
    return torch.ones(count).as_subclass(type("Ours", (torch.Tensor,), methods))


def stand_in(cuda: Cuda) -> types.ModuleType:
    """A torch whose device is the processor."""
    module = types.ModuleType("torch")
    cpu = torch.device("cpu")

    def device(*_: object) -> Any:
        return cpu

    def randn(*_: int, device: object) -> Any:
        return torch.randn(8, 8, device=device)

    module.__dict__.update(
        __version__="9.9",
        version=types.SimpleNamespace(cuda="13.0"),
        cuda=cuda,
        device=device,
        ones=ones,
        randn=randn,
        empty_like=torch.empty_like,
        mm=torch.mm,
    )
    return module


def test_everything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", stand_in(Cuda()))

    told: list[dict[str, Any]] = []
    said = inside.main(1001, 0.0, told.append)

    assert (said["device"], said["torch"]) == ("stand-in", "9.9")
    assert said["python"] == platform.python_version()
    assert said["batch_bytes"] == 1000
    assert [len(rows) for rows in said["copies"].values()] == [3] * 5
    (known,) = told
    assert known == {**said, "steps": {}, "partial": True}
    assert {name: len(rows) for name, rows in said["steps"].items()} == {
        "compute alone": 3,
        "pageable, then compute": 3,
        "pinned and non_blocking": 3,
        "prefetched on a side stream": 3,
    }
    found = build_fact(said, Machine(), Quality(windows=1), 1.0)
    assert len(found.steps) == 3


@pytest.mark.parametrize(
    ("cuda", "why"),
    [
        (Cuda(there=False), "no usable GPU: torch 9.9 finds none"),
        (Cuda(trouble="out of memory\nand more"), "the GPU cannot be used: out of memory"),
        (Cuda(trouble=""), "the GPU cannot be used: RuntimeError"),
    ],
)
def test_a_gpu_that_refuses(monkeypatch: pytest.MonkeyPatch, cuda: Cuda, why: str) -> None:
    monkeypatch.setitem(sys.modules, "torch", stand_in(cuda))

    assert inside.main(1000, 0.0)["error"].startswith(why)
