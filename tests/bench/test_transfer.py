"""Copies to a GPU: what runs without one, and the answer that there is none."""

import json
import os
import sys
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.bench import transfer
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
