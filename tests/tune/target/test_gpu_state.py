"""GPUs are asked for where it harms no fork, and waited for after each step."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipedoctor.tune.target import gpu_state
from pipedoctor.tune.target.loader_failure import describe_failure

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


def torch_with(ask: Callable[[], bool], **version: str | None) -> Any:
    return SimpleNamespace(
        version=SimpleNamespace(**{"cuda": None, "hip": None, **version}),
        cuda=SimpleNamespace(is_available=ask),
    )


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("version", [{"cuda": "13.0"}, {"hip": "7.2"}])
def test_a_child_asks_for_the_gpu(tmp_path: Path, there: bool, version: dict[str, str]) -> None:
    """By default the question initializes CUDA, which no trial could use then."""

    def ask() -> bool:
        (tmp_path / "asked").write_text(str(os.getpid()))
        return there

    assert gpu_state.has_gpu(torch_with(ask, **version)) is there
    assert int((tmp_path / "asked").read_text()) != os.getpid()


def test_a_build_for_cpus_is_not_asked() -> None:
    def ask() -> bool:
        raise AssertionError

    assert gpu_state.has_gpu(torch_with(ask)) is False


def test_a_driver_that_fails_has_no_gpu() -> None:
    def ask() -> bool:
        sys.stderr = None  # its traceback is nobody's
        raise RuntimeError

    assert gpu_state.has_gpu(torch_with(ask, cuda="13.0")) is False


def test_a_driver_that_does_not_answer_has_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_state, "_DRIVER_SECONDS", 0.2)
    began = time.monotonic()

    def ask() -> bool:
        time.sleep(60)
        return True

    assert gpu_state.has_gpu(torch_with(ask, cuda="13.0")) is False
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(("used", "done"), [(True, ["step 7", "wait"]), (False, ["step 7"])])
def test_a_step_ends_when_the_gpu_has_done_it(used: bool, done: list[str]) -> None:
    seen: list[str] = []
    cuda = SimpleNamespace(is_initialized=lambda: used, synchronize=lambda: seen.append("wait"))

    gpu_state.wait_for_gpu(SimpleNamespace(cuda=cuda), lambda n: seen.append(f"step {n}"))(7)

    assert seen == done


FORKED = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must"
    " use the 'spawn' start method"
)


def test_a_model_made_at_import_is_said() -> None:
    assert describe_failure(RuntimeError(FORKED)) == gpu_state.EARLY_CUDA
    assert describe_failure(RuntimeError("out of memory")) == "RuntimeError: out of memory"


def test_a_worker_that_uses_cuda_is_another_matter() -> None:
    text = (
        "Caught RuntimeError in DataLoader worker process 0.\nOriginal Traceback (most recent"
        f' call last):\n  File "data.py", line 7, in __getitem__\nRuntimeError: {FORKED}\n'
    )

    assert "data.py" in describe_failure(RuntimeError(text))


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(("given", "there"), [(None, "1"), ("0", "0")])
def test_what_asks_at_import_asks_the_driver(tmp_path: Path, given: str | None, there: str) -> None:
    """`torch.cuda.is_available()` at the top of a script initializes nothing."""
    target = tmp_path / "data.py"
    target.write_text(
        f"import os\nraise ValueError('NVML ' + os.environ['{gpu_state.NVML_CHECK}'])"
    )
    environ = {key: value for key, value in os.environ.items() if key != gpu_state.NVML_CHECK}
    environ |= {} if given is None else {gpu_state.NVML_CHECK: given}

    argv = ["pipedoctor", "tune", f"{target}:make"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environ)

    assert done.returncode == 2
    assert f"ValueError: NVML {there}" in done.stderr


class Profiler:
    """Two kernels that overlap, a copy, and work of the CPU, for all of the steps."""

    def __init__(self, activities: list[str]) -> None:
        assert activities == ["CUDA"]

    def start(self) -> None:
        """Nothing else profiles."""

    def stop(self) -> None:
        """As `start`."""

    def events(self) -> list[Any]:
        """In microseconds."""
        spans = [
            ("CUDA", "gemm", 0.0, 4000.0),
            ("CUDA", "relu", 3000.0, 6000.0),
            ("CUDA", "Memcpy HtoD", 6000.0, 9000.0),
            ("CPU", "aten::mm", 0.0, 9000.0),
        ]
        return [
            SimpleNamespace(
                device_type=SimpleNamespace(name=device),
                name=name,
                time_range=SimpleNamespace(start=begin, end=end),
            )
            for device, name, begin, end in spans
        ]


class BusyProfiler(Profiler):
    """The step profiles itself."""

    def start(self) -> None:
        raise RuntimeError


def profile_steps(profiler: type[Profiler], *, used: bool = True) -> tuple[float | None, int]:
    steps: list[int] = []
    torch = SimpleNamespace(
        cuda=SimpleNamespace(is_initialized=lambda: used),
        profiler=SimpleNamespace(profile=profiler, ProfilerActivity=SimpleNamespace(CUDA="CUDA")),
    )
    seconds = gpu_state.measure_kernel_seconds(torch, iter([1, 2, 3]), steps.append, 60.0)
    return seconds, len(steps)


def test_kernels_are_timed_and_copies_are_not() -> None:
    seconds, steps = profile_steps(Profiler)

    assert seconds == pytest.approx(6e-3 / 3)
    assert steps == 3


def test_kernels_are_not_timed_without_a_gpu_or_beside_another_profiler() -> None:
    assert profile_steps(Profiler, used=False) == (None, 0)
    assert profile_steps(BusyProfiler) == (None, 0)
