"""Rates between two readings of a GPU, from a driver library made for the test."""

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
#include <stdlib.h>
static int get(const char *name) { return atoi(getenv(name)); }
typedef int ret; typedef void *dev;
typedef struct { unsigned version, supported; } support_t;
typedef struct { unsigned id; ret code; double value; char *names[3]; } metric_t;
typedef struct { unsigned version, count; int *a, *b; metric_t metrics[]; } metrics_t;
typedef struct { unsigned gpu, memory; } use_t;
ret nvmlInit_v2(void) { return 0; }
ret nvmlInitWithFlags(unsigned f) { return 0; }
ret nvmlDeviceGetHandleByIndex_v2(unsigned i, dev *d) { *d = (dev)1; return 0; }
ret nvmlDeviceGetUtilizationRates(dev d, use_t *v) { v->gpu = 98; return 0; }
ret nvmlDeviceGetPcieThroughput(dev d, int way, unsigned *v) { *v = way ? 7 : 3; return 0; }
ret nvmlGpmQueryDeviceSupport(dev d, support_t *v) { v->supported = get("SUPPORTED"); return 0; }
ret nvmlGpmSampleAlloc(int **s) { *s = calloc(1, sizeof **s); return 0; }
ret nvmlGpmSampleGet(dev d, int *s)
  { static int made; *s = ++made; return get("FAILS") ? 3 : 0; }
ret nvmlGpmMetricsGet(metrics_t *q)
{
    if (q->version != 1 || *q->a >= *q->b) return 2; /* the earlier sample is the first */
    for (unsigned i = 0; i < q->count; i++) {
        metric_t *one = q->metrics + i;
        one->code = one->id == 20 ? get("SENT") : 0;
        one->value = one->id == 1 ? 25.0 : one->id == 21 ? 2.0 : 1.0;
    }
    return 0;
}
const char *nvmlErrorString(ret code) { return "made up"; }
"""
ASK = """
import json, os, sys, pynvml
from pipedoctor.collect.devices.gpu_device import NvmlQueries
from pipedoctor.watch.system.gpu_counters import GpuRates
pynvml.nvmlInit()
handle = pynvml.nvmlDeviceGetHandleByIndex(0)
for scenario in json.loads(sys.argv[1]):
    calls = []
    os.environ.update(scenario[0])
    rates = GpuRates(NvmlQueries(pynvml, calls.append), handle)
    found = []
    for environ in scenario:
        os.environ.update(environ)
        found.append(rates.read(NvmlQueries(pynvml, calls.append)))
    print(json.dumps([found, calls]))
"""
BY_SAMPLING = {"busy": 0.98, "received": 7 * 1024, "sent": 3 * 1024}


FINE = {"SUPPORTED": "1", "FAILS": "0", "SENT": "0"}
SCENARIOS = {
    "GPM": [FINE] * 3,
    "no PCIe traffic sent": [FINE | {"SENT": "3"}] * 2,
    "older card": [FINE | {"SUPPORTED": "0"}] * 2,
    "partitioned": [FINE, FINE | {"FAILS": "3"}, FINE],
}
"""Title -> how the library behaves at each reading."""


def test_rates_are_exact_where_the_card_counts_them(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to make a driver library with")
    (tmp_path / "nvml.c").write_text(LIBRARY)
    library = str(tmp_path / "libnvidia-ml.so.1")
    argv = [compiler, "-shared", "-fPIC", "-w", "-o", library, str(tmp_path / "nvml.c")]
    subprocess.run(argv, check=True)
    argv = [sys.executable, "-c", ASK, json.dumps(list(SCENARIOS.values()))]
    environ = os.environ | {"LD_LIBRARY_PATH": str(tmp_path)}

    done = subprocess.run(argv, check=True, capture_output=True, env=environ)

    lines: list[Any] = [json.loads(line) for line in done.stdout.splitlines()]
    found = {title: line[0] for title, line in zip(SCENARIOS, lines, strict=True)}
    each = {"busy": 0.25, "sent": 1 << 20, "received": 2 << 20}
    assert found == {
        "GPM": [{}, each, each],
        "no PCIe traffic sent": [{}, {"busy": 0.25, "received": 2 << 20}],
        "older card": [BY_SAMPLING] * 2,
        "partitioned": [{}, BY_SAMPLING, BY_SAMPLING],
    }
    assert "nvmlDeviceGetPcieThroughput" not in lines[0][1]  # each call takes 20 ms
