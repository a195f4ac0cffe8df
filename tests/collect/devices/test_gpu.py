"""The gpu section: from a driver library that answers, errs, hangs or is not there."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.collect.devices.gpu import gpu
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import UnreadableError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asked on Linux only")

ASK = """
import json, sys, msgspec
from pipedoctor.collect.devices.gpu import gpu
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import UnreadableError
calls = []
try: fact = msgspec.to_builtins(gpu(Machine(), calls.append))
except UnreadableError as reason: fact = {"unreadable": str(reason)}
binding = "pynvml" in sys.modules
print(json.dumps({"fact": fact, "calls": calls, "binding": binding}))
"""
Make = Callable[..., dict[str, str]]


def ask(environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the collector finds in a process of its own, with this environment."""
    argv = [sys.executable, "-c", ASK]
    done = subprocess.run(argv, check=True, capture_output=True, env=environ)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def known(fact: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: fact[name] for name in names}


def test_two_gpus(driver_library: Make) -> None:
    answer = ask(driver_library())
    fact = answer["fact"]

    assert known(fact, "driver", "cuda", "error", "error_code", "hang") == {
        "driver": "580.82.07",
        "cuda": "13.1",
        "error": "",
        "error_code": None,
        "hang": None,
    }
    first, second = fact["devices"]
    assert known(first, "index", "name", "memory", "capability") == {
        "index": 0,
        "name": "NVIDIA H200",
        "memory": 143771 << 20,
        "capability": "9.0",
    }
    assert known(second, "index", "memory") == {"index": 1, "memory": None}


def test_every_call_is_announced_before_it_is_made(driver_library: Make) -> None:
    calls = ask(driver_library())["calls"]

    assert calls[:4] == [
        "dlopen libnvidia-ml.so.1",
        "nvmlInit_v2",
        "nvmlInitWithFlags",
        "nvmlSystemGetDriverVersion",
    ]


def test_a_library_that_lacks_the_binding_s_own_call(driver_library: Make) -> None:
    fact = ask(driver_library("", "", "-DNO_FLAGS"))["fact"]

    assert fact["driver"] == "580.82.07"


def test_an_error_is_a_fact(driver_library: Make) -> None:
    fact = ask(driver_library("return 18"))["fact"]

    assert known(fact, "error", "error_code") == {
        "error": "RM has detected an NVML/RM version mismatch.",
        "error_code": 18,
    }


def test_a_lost_gpu_does_not_hide_the_others(driver_library: Make) -> None:
    fact = ask(driver_library("", "return 15"))["fact"]

    assert fact["error_code"] == 15
    assert fact["driver"] == "580.82.07"
    assert [device["index"] for device in fact["devices"]][:1] == [0]


def test_no_library_costs_no_binding() -> None:
    answer = ask()
    if "unreadable" not in answer["fact"]:
        pytest.skip("this machine has the driver's library")

    assert answer["fact"]["unreadable"] == "libnvidia-ml.so.1 not found"
    assert answer["calls"] == ["dlopen libnvidia-ml.so.1"]
    assert not answer["binding"]


def test_a_library_that_is_none(driver_library: Make) -> None:
    environ = driver_library()
    library = Path(environ["LD_LIBRARY_PATH"]) / "libnvidia-ml.so.1"
    library.write_bytes(b"\x7fELF, but no more")

    reason = ask(environ)["fact"]["unreadable"]

    assert "libnvidia-ml.so.1" in reason
    assert "not found" not in reason


def test_a_library_without_the_functions(driver_library: Make) -> None:
    fact = ask(driver_library("", "", "-DEMPTY"))["fact"]

    assert fact["error_code"] == 13


def test_without_the_binding(driver_library: Make) -> None:
    environ = driver_library()
    folder = environ["LD_LIBRARY_PATH"]
    binding = Path(folder) / "pynvml.py"
    binding.write_text("raise ImportError('replaced by another package')")

    fact = ask(environ | {"PYTHONPATH": folder})["fact"]

    assert fact["unreadable"] == ("pynvml cannot be imported: replaced by another package")


def test_a_hang_ends_with_the_patience_and_names_the_call(
    driver_library: Make,
) -> None:
    environ = driver_library("for (;;) pause()")
    argv = [sys.executable, "-m", "pipedoctor", "check", "--quick", "--deadline", "9"]
    began = time.monotonic()

    done = subprocess.run(
        [*argv, "--format", "json"], check=False, capture_output=True, env=environ
    )
    report = json.loads(done.stdout)

    assert time.monotonic() - began < 9
    hang = report["facts"]["known"]["gpu"]["hang"]
    assert hang["doing"] == "nvmlInit_v2"
    assert 2.5 < hang["seconds"] < 6
    assert "shm" in report["facts"]["known"]


def test_only_on_linux() -> None:
    with pytest.raises(UnreadableError, match="only available on Linux, not on darwin"):
        gpu(Machine(system="darwin"), lambda _: None)
