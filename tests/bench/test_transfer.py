"""Copies to a GPU: what runs without one, and the answer that there is none."""

import contextlib
import functools
import json
import os
import platform
import sys
import time
import types
from collections.abc import Generator
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.bench import transfer
from pipedoctor.bench.programs import transfer as inside
from pipedoctor.bench.transfer import build_fact, measure_transfer
from pipedoctor.bench.transfer_text import build_sheet
from pipedoctor.bench.window import CpuMeter
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Quality, UnreadableError, Window

torch = pytest.importorskip("torch")

SAID: dict[str, Any] = {
    "device": "NVIDIA T4",
    "torch": "2.13.0",
    "python": "3.9.99",
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
    found = build_fact(SAID, Machine(), Quality(windows=1), 3.0)

    assert found.host.python == "3.9.99"
    assert [copy.rate.value for copy in found.copies] == [2500, 10_000]
    assert {step.name: round(step.hidden or 0, 3) for step in found.steps} == {
        "pageable, then compute": 0.0,
        "pinned and non_blocking": 0.0,
        "prefetched on a side stream": 0.8,
    }
    page = build_sheet(found)
    assert page.title == "Copying 1000 B to NVIDIA T4"
    assert page.rows[1] == ("pinned, non_blocking", "9.8 KiB", "100", "")
    assert page.rows[-1] == ("step: prefetched on a side stream", "", "120", "80%")
    assert "pinned, non_blocking returns after 10 ms (10 to 20)." in page.notes[1]
    assert page.conclusions == (
        "Pinned memory is copied 4.00 times as fast as pageable memory.",
        "A side stream overlaps 80% of the copy with computation.",
    )


def test_one_way_alone_is_compared_with_nothing() -> None:
    found = build_fact(SAID, Machine(), Quality(windows=1), 3.0)

    for kept in (found.copies[:1], found.copies[1:]):
        page = build_sheet(replace(found, copies=kept, steps=()))
        assert page.conclusions == ()
        assert len(page.rows) == 1


def test_without_torch_it_says_why(calm: CpuMeter, tmp_path: Any) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('no torch today')")
    environ = os.environ | {"PYTHONPATH": str(tmp_path)}

    with pytest.raises(UnreadableError, match="cannot be imported: no torch today"):
        measure_transfer(sys.executable, environ, batch_bytes=1, budget=5.0, meter=calm)


def test_a_torch_that_crashes_is_said(calm: CpuMeter, tmp_path: Any) -> None:
    (tmp_path / "torch.py").write_text("import os; os.kill(os.getpid(), 11)")
    environ = os.environ | {"PYTHONPATH": str(tmp_path)}

    with pytest.raises(UnreadableError, match="ended with SIGSEGV"):
        measure_transfer(sys.executable, environ, batch_bytes=1, budget=5.0, meter=calm)


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


def instead(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Run this code, not the measuring program."""

    def line(*_: object) -> list[str]:
        return [sys.executable, "-S", "-c", code]

    monkeypatch.setattr(transfer, "build_command", line)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("print('a banner'); print('no answer')", "printed unexpected output"),
        ("raise SystemExit(3)", "ended with exit code 3"),
        ("import time; time.sleep(60)", "no answer after 1 s: torch or the driver"),
    ],
)
def test_no_answer_is_said(
    monkeypatch: pytest.MonkeyPatch, calm: CpuMeter, answer: str, why: str
) -> None:
    instead(monkeypatch, answer)
    budget = 1.0 if "sleep" in answer else 9.0

    with pytest.raises(UnreadableError, match=why):
        measure_transfer(sys.executable, os.environ, batch_bytes=1, budget=budget, meter=calm)


def test_a_banner_before_the_answer_does_no_harm(
    monkeypatch: pytest.MonkeyPatch, calm: CpuMeter
) -> None:
    code = f"print('a banner'); print({json.dumps(json.dumps(SAID))})"
    instead(monkeypatch, code)

    found = measure_transfer(sys.executable, os.environ, batch_bytes=1, budget=5.0, meter=calm)

    assert found.device == "NVIDIA T4"


STOPPED = """
import json, os, signal, time
print({answer!r}, flush=True)
time.sleep(0.3)
os.kill(os.getppid(), signal.SIGINT)
time.sleep(60)
"""


def test_ctrl_c_gives_the_copies(monkeypatch: pytest.MonkeyPatch, calm: CpuMeter) -> None:
    partial = json.dumps({**SAID, "steps": {}, "partial": True})
    instead(monkeypatch, STOPPED.format(answer=partial))

    found = measure_transfer(sys.executable, os.environ, batch_bytes=1, budget=30.0, meter=calm)

    assert found.interrupted
    assert [copy.name for copy in found.copies] == ["pageable", "pinned, non_blocking"]
    assert (found.steps, found.compute_seconds) == ((), None)
    assert "Interrupted: results so far." in build_sheet(found).notes


def test_ctrl_c_before_anything_is_known_goes_on_its_way(
    monkeypatch: pytest.MonkeyPatch, calm: CpuMeter
) -> None:
    instead(monkeypatch, STOPPED.format(answer="a banner"))

    with pytest.raises(KeyboardInterrupt):
        measure_transfer(sys.executable, os.environ, batch_bytes=1, budget=30.0, meter=calm)


def test_a_program_that_dies_after_the_copies_is_said(
    monkeypatch: pytest.MonkeyPatch, calm: CpuMeter
) -> None:
    partial = json.dumps({**SAID, "steps": {}, "partial": True})
    instead(monkeypatch, f"print({partial!r}); raise SystemExit(3)")

    with pytest.raises(UnreadableError, match="its process ended with exit code 3"):
        measure_transfer(sys.executable, os.environ, batch_bytes=1, budget=9.0, meter=calm)


def test_a_crowded_machine_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, crowded: CpuMeter
) -> None:
    code = f"print({json.dumps(json.dumps(SAID))})"
    instead(monkeypatch, code)

    with pytest.raises(UnreadableError, match="other processes used"):
        measure_transfer(sys.executable, {}, batch_bytes=1, budget=5.0, meter=crowded)


def test_an_interpreter_that_cannot_be_started(calm: CpuMeter) -> None:
    with pytest.raises(UnreadableError, match="/no/python cannot be started: No such file"):
        measure_transfer("/no/python", {}, batch_bytes=1, budget=5.0, meter=calm)


@pytest.mark.gpu
def test_a_real_gpu(calm: CpuMeter) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no GPU")

    found = measure_transfer(
        sys.executable, os.environ, batch_bytes=1 << 24, budget=10.0, meter=calm
    )

    assert found.device
    assert len(found.copies) == 5
    assert len(found.steps) == 3


class Shared(CpuMeter):
    """Others have this share of the only CPU, in one window after the other."""

    def __init__(self, *shares: float) -> None:
        super().__init__()
        self.shares = list(shares)

    def stop(self) -> Window:
        found = super().stop()
        foreign = self.shares.pop(0) * found.seconds
        quiet = replace(found, foreign_process="", stolen=0.0)
        return replace(quiet, cpus=1.0, own=0.0, foreign=foreign)


def test_copies_that_others_disturb_are_measured_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instead(monkeypatch, f"print({json.dumps(json.dumps(SAID))})")

    found = measure_transfer(sys.executable, {}, batch_bytes=1, budget=60.0, meter=Shared(0.9, 0.0))

    assert found.quality == Quality(windows=1, repeated=1)
    assert (
        "1 window was repeated because other processes used the CPUs." in build_sheet(found).notes
    )


def test_what_was_measured_holds_where_it_cannot_be_repeated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    once = tmp_path / "once"
    once.touch()
    code = f"import os; os.unlink({str(once)!r}); print({json.dumps(json.dumps(SAID))})"
    instead(monkeypatch, code)

    found = measure_transfer(sys.executable, {}, batch_bytes=1, budget=60.0, meter=Shared(0.2))

    assert found.quality.marked == "other processes used 0.2 of 1 CPU"
    assert found.device == "NVIDIA T4"


CUT: dict[str, Any] = {**SAID, "steps": {}, "interrupted": True}


@pytest.mark.parametrize(
    ("answers", "shares", "steps", "mark"),
    [
        pytest.param(
            [SAID, KeyboardInterrupt()], (0.2,), 3, "other processes used 0.2 of 1 CPU", id="again"
        ),
        pytest.param([SAID, CUT], (0.2, 0.0), 3, "other processes used 0.2 of 1 CPU", id="amid it"),
        pytest.param([CUT], (0.2,), 0, "other processes used 0.2 of 1 CPU", id="the first"),
    ],
)
def test_nothing_is_repeated_after_an_interrupt(
    monkeypatch: pytest.MonkeyPatch,
    answers: list[Any],
    shares: tuple[float, ...],
    steps: int,
    mark: str,
) -> None:
    def run(*_: object) -> Any:
        found = answers.pop(0)
        if isinstance(found, BaseException):
            raise found
        return found

    monkeypatch.setattr(transfer, "_run_program", run)
    answers = list(answers)

    found = measure_transfer(sys.executable, {}, batch_bytes=1, budget=60.0, meter=Shared(*shares))

    assert (found.interrupted, len(found.steps)) == (True, steps)
    assert found.quality.marked == mark
    assert answers == []
