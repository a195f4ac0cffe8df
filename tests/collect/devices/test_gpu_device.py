"""One GPU, field by field, from a driver library made for the test."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asked on Linux only")

LIBRARY = r"""
#include <string.h>
typedef int ret; typedef void *dev;
typedef struct { unsigned gpu, memory; } use_t;
typedef struct
  { char old[16]; unsigned domain, bus, device, id, sub; char id2[32]; } pci_t;
ret nvmlInit_v2(void) { return 0; }
ret nvmlInitWithFlags(unsigned f) { return 0; }
ret nvmlDeviceGetHandleByIndex_v2(unsigned i, dev *d) { *d = (dev)1; return HANDLE; }
ret nvmlDeviceGetName(dev d, char *s, unsigned n)
  { strcpy(s, "NVIDIA H100"); return NAME; }
ret nvmlDeviceGetUUID(dev d, char *s, unsigned n) { strcpy(s, "GPU-1a2b"); return 0; }
ret nvmlDeviceGetCudaComputeCapability(dev d, int *a, int *b)
  { *a = 9; *b = 0; return 0; }
ret nvmlDeviceGetCurrPcieLinkGeneration(dev d, unsigned *v) { *v = 1; return 0; }
ret nvmlDeviceGetMaxPcieLinkGeneration(dev d, unsigned *v) { *v = 5; return 0; }
ret nvmlDeviceGetCurrPcieLinkWidth(dev d, unsigned *v) { *v = 8; return 0; }
ret nvmlDeviceGetMaxPcieLinkWidth(dev d, unsigned *v) { *v = 16; return 0; }
ret nvmlDeviceGetPersistenceMode(dev d, unsigned *v) { *v = 0; return 0; }
#ifndef REASONS
#define REASONS nvmlDeviceGetCurrentClocksThrottleReasons
#endif
ret REASONS(dev d, unsigned long long *v)
  { *v = 0x44; return 0; }
ret nvmlDeviceGetUtilizationRates(dev d, use_t *v) { v->gpu = 37; return 0; }
ret nvmlDeviceGetPerformanceState(dev d, int *v) { *v = 0; return 0; }
ret nvmlDeviceGetTotalEccErrors(dev d, int a, int b, unsigned long long *v)
  { *v = a == 1 && b == 0 ? 2 : 99; return ECC; }
ret nvmlDeviceGetRemappedRows(dev d, unsigned *a, unsigned *b, unsigned *c, unsigned *e)
  { *a = *b = 5; *c = 1; *e = 0; return 0; }
ret nvmlDeviceGetMigMode(dev d, unsigned *a, unsigned *b) { *a = 1; *b = 0; return 4; }
ret nvmlDeviceGetTemperature(dev d, int s, unsigned *v) { *v = 61; return 0; }
ret nvmlDeviceGetPciInfo_v3(dev d, pci_t *v)
  { memset(v, 0, sizeof *v); strcpy(v->id2, "00000000:3B:00.0"); return 0; }
#ifdef MEMORY
typedef unsigned long long size;
typedef struct { size total, free, used; } old_t;
typedef struct { unsigned version; size total, reserved, free, used; } new_t;
ret nvmlDeviceGetMemoryInfo(dev d, old_t *v) { v->total = 9000; v->used = 700; return 0; }
ret nvmlDeviceGetMemoryInfo_v2(dev d, new_t *v)
  { v->total = 9000; v->used = v->version == 0x2000028 ? 200 : 0; return MEMORY; }
#endif
"""
ASK = """
import json, sys, msgspec, pynvml
from pathlib import Path
from pipedoctor.collect.devices.gpu_device import read_device
pynvml.nvmlInit()
if sys.argv[2:]: delattr(pynvml, sys.argv[2])
calls = []
device = read_device(pynvml, calls.append, 3, Path(sys.argv[1]))
print(json.dumps([msgspec.to_builtins(device), calls]))
"""


ASK_MEMORY = """
import sys, pynvml
from pipedoctor.collect.devices.gpu_device import NvmlQueries
pynvml.nvmlInit()
if sys.argv[1:]: delattr(pynvml, sys.argv[1])
queries = NvmlQueries(pynvml, lambda _: None)
memory = queries.query_memory(queries.query("handle", "nvmlDeviceGetHandleByIndex", 0))
print(memory.total, memory.used, queries.unknown)
"""


def compile_library(tmp_path: Path, **macros: int | str) -> dict[str, str]:
    """The environment in which the library that does so is found."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to make a driver library with")
    source = tmp_path / "nvml.c"
    source.write_text(LIBRARY)
    defaults: dict[str, int | str] = {"HANDLE": 0, "NAME": 0, "ECC": 0}
    options = [f"-D{name}={value}" for name, value in (defaults | macros).items()]
    library = str(tmp_path / "libnvidia-ml.so.1")
    argv = [compiler, "-shared", "-fPIC", *options, "-o", library, str(source)]
    subprocess.run(argv, check=True)
    return os.environ | {"LD_LIBRARY_PATH": str(tmp_path)}


def ask(tmp_path: Path, *less: str, **macros: int | str) -> tuple[dict[str, Any], list[str]]:
    """What is said of a GPU whose library answers these calls with these codes."""
    environ = compile_library(tmp_path, **macros)
    node = tmp_path / "bus/pci/devices/0000:3b:00.0/numa_node"
    node.parent.mkdir(parents=True)
    node.write_text("1\n")
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path), *less],
        check=True,
        capture_output=True,
        env=environ,
    )
    device, calls = json.loads(done.stdout)
    return device, calls


def test_every_field(tmp_path: Path) -> None:
    device, calls = ask(tmp_path)

    unknown = device.pop("unknown")
    assert device == {
        "index": 3,
        "name": "NVIDIA H100",
        "memory": None,
        "capability": "9.0",
        "uuid": "GPU-1a2b",
        "pcie_generation": 1,
        "pcie_generation_max": 5,
        "pcie_width": 8,
        "pcie_width_max": 16,
        "persistence": False,
        "throttled": ["software power cap", "hardware thermal slowdown"],
        "utilisation": 37,
        "pstate": 0,
        "ecc_uncorrected": 2,
        "remap_pending": True,
        "remap_failed": False,
        "mig": None,
        "numa_node": 1,
        "temperature": 61,
        "lost": False,
    }
    assert unknown == {
        "memory": "this driver does not know the call",
        "mig": "no permission",
    }
    assert calls[0] == "nvmlDeviceGetHandleByIndex"
    assert "nvmlDeviceGetTotalEccErrors" in calls


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (3, "this card does not support it"),
        (4, "no permission"),
        (999, "Unknown Error"),
    ],
)
def test_no_answer_has_a_reason(tmp_path: Path, code: int, reason: str) -> None:
    device, _ = ask(tmp_path, ECC=code)

    assert device["ecc_uncorrected"] is None
    assert device["unknown"]["ecc_uncorrected"] == reason
    assert device["temperature"] == 61


def test_a_binding_that_does_not_know_the_call(tmp_path: Path) -> None:
    device, _ = ask(tmp_path, "nvmlDeviceGetRemappedRows")

    assert device["remap_pending"] is None
    assert device["unknown"]["remapped_rows"] == "pynvml does not know the call"


@pytest.mark.parametrize("codes", [{"HANDLE": 15}, {"NAME": 15}])
def test_lost(tmp_path: Path, codes: dict[str, int]) -> None:
    device, _ = ask(tmp_path, **codes)

    assert device["lost"]
    assert device["index"] == 3


def test_a_gpu_that_may_not_be_asked_at_all(tmp_path: Path) -> None:
    device, _ = ask(tmp_path, HANDLE=4)

    assert not device["lost"]
    assert device["unknown"] == {"handle": "no permission"}


def test_throttle_reasons_have_a_newer_name(tmp_path: Path) -> None:
    """Drivers from 535 on call them event reasons; the older name will go."""
    device, calls = ask(tmp_path, REASONS="nvmlDeviceGetCurrentClocksEventReasons")

    assert device["throttled"] == ["software power cap", "hardware thermal slowdown"]
    assert "throttled" not in device["unknown"]
    assert "nvmlDeviceGetCurrentClocksThrottleReasons" not in calls


def test_a_binding_that_has_only_the_older_name(tmp_path: Path) -> None:
    device, _ = ask(tmp_path, "nvmlDeviceGetCurrentClocksEventReasons")

    assert device["throttled"] == ["software power cap", "hardware thermal slowdown"]
    assert "throttled" not in device["unknown"]


@pytest.mark.parametrize(
    ("less", "code", "used"),
    [
        pytest.param([], 0, 200, id="as nvidia-smi counts it"),
        pytest.param([], 13, 700, id="a driver without the second version"),
        pytest.param([], 25, 700, id="a driver with another version of the structure"),
        pytest.param(["nvmlMemory_v2"], 0, 700, id="a binding without it"),
    ],
)
def test_used_memory(tmp_path: Path, less: list[str], code: int, used: int) -> None:
    argv = [sys.executable, "-c", ASK_MEMORY, *less]
    environ = compile_library(tmp_path, MEMORY=code)

    done = subprocess.run(argv, check=True, capture_output=True, text=True, env=environ)

    assert done.stdout == f"9000 {used} {{}}\n"
