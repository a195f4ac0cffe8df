"""
Made-up fleets: reports of nodes as they really look, with healthy variety and faults.

Nodes differ in everything that is each node's own, in load, age and firmware, and in
rolling updates; thirty of them are ill, in twenty ways. Everything comes from a seed.
"""

import copy
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from _fleet_nodes import GIB, NODE_KINDS, NodeKind, Report, build_report

EVERY, FIRST = 8, 3
"""Which nodes have an update already that the others will get."""


def vary_report(report: Report, rng: random.Random, number: int) -> None:
    """What differs between healthy nodes: load, age, firmware, names, updates."""
    known = report["facts"]["known"]
    memory, cpu, limits = known["memory"], known["cpu"], known["limits"]
    memory["total"] -= rng.randrange(0, 700 << 20)
    memory["available"] = int(memory["total"] * rng.uniform(0.2, 0.98))
    memory["commit_limit"] = memory["total"] // 2
    memory["committed"] = rng.randrange(1 << 40)
    memory["compaction_stalls"] = rng.randrange(10**6)
    known["shm"]["size"] = memory["total"] // 2
    known["shm"]["used"] = rng.randrange(1 << 36)
    known["shm"]["available"] = known["shm"]["size"] - known["shm"]["used"]
    cpu["frequency"] = rng.randrange(800, 3800) * 10**6
    cpu["max_frequency"] += rng.choice((0, 0, 100_000_000))
    limits["threads_max"] = memory["total"] // 131072
    limits["nproc"] = dict.fromkeys(("soft", "hard"), limits["threads_max"] // 2)
    limits["files_in_use"] = rng.randrange(5000, 90000)
    limits["user_threads"] = rng.randrange(100, 9000)
    limits["system_threads"] = rng.randrange(1000, 20000)
    disk = f"nvme{rng.randrange(4)}n1"
    for place in known["paths"]["entries"]:
        place["free"] = int(place["size"] * rng.uniform(0.1, 0.95))
        place["mount"]["source"] = f"/dev/{disk}"
        place["disks"][0]["name"] = disk
        place["path"] = f"{place['mount']['point']}/user{rng.randrange(40)}"
    known["interpreter"]["prefix"] = f"/home/user{rng.randrange(400)}/env"
    if number % EVERY == FIRST + 1:  # a rolling update of the kernel
        known["site"]["release"] = "5.15.0-134-generic"
    cold = known["datasets"]["entries"][0]["cold_read"]
    pace = rng.lognormvariate(0, 0.3)
    cold["small_seconds"] /= pace * rng.lognormvariate(0, 0.1)
    cold["large_seconds"] /= pace * rng.lognormvariate(0, 0.1)
    known["torch_import"]["seconds"] = rng.uniform(2, 20)
    for device in known.get("gpu", {}).get("devices", ()):
        device["uuid"] = f"GPU-{rng.getrandbits(128):032x}"
        device["temperature"] = rng.randrange(25, 80)
        device["pcie_generation"] = rng.choice((1, 5))
        device["throttled"] = rng.choice((["idle"], ["software power cap"], []))
        device["utilisation"] = rng.randrange(100)
        device["pstate"] = rng.choice((0, 2, 8))


def merge_packages(report: Report) -> None:
    """A tenth of the fleet has the next driver and image already."""
    known = report["facts"]["known"]
    if "gpu" in known:
        known["gpu"]["driver"] = known["accelerators"]["nvidia_module"] = "580.82.07"
        known["gpu"]["cuda"] = "13.0"
    _change_package(known, "wandb", "0.25.0")
    known["limits"]["nofile"] = {"soft": 524288, "hard": 1048576}


def _change_package(known: Report, name: str, version: str) -> None:
    entries = known["packages"]["entries"]
    for at, entry in enumerate(entries):
        if entry["name"] == name:
            entries[at] = {**entry, "version": version}


def _break_torch(known: Report) -> None:
    known["torch"].update(version="2.8.0", cuda="12.6", local="cu126")
    known["torch_import"]["version"] = "2.8.0+cu126"
    for name, version in (("torch", "2.8.0"), ("triton", "3.4.0")):
        _change_package(known, name, version)
    _change_package(known, "nvidia-nccl-cu12", "2.27.3")


def _lose_gpu(known: Report) -> None:
    known["gpu"]["devices"].pop()
    known["torch_import"]["device_count"] -= 1
    known["accelerators"]["xids"] = [{"code": 79, "count": 1, "last": "fallen off"}]


def _lose_driver(known: Report) -> None:
    known["gpu"] = {
        "driver": "",
        "cuda": "",
        "devices": [],
        "error": "Driver Not Loaded",
        "error_code": 9,
    }
    known["accelerators"]["nvidia_module"] = ""
    known["accelerators"]["nvidia_nodes"] = []
    known["accelerators"]["uvm_loaded"] = False
    known["torch_import"].update(cuda_available=False, device_count=0)


def _slow_down_disk(known: Report) -> None:
    cold = known["datasets"]["entries"][0]["cold_read"]
    cold["small_seconds"] *= 20
    cold["large_seconds"] *= 20


def _lose_memory(known: Report) -> None:
    lost = known["memory"]["total"] // 16
    known["memory"]["total"] -= lost
    known["shm"]["size"] -= lost // 2


def _hide_gpus(known: Report) -> None:
    known["variables"]["values"]["CUDA_VISIBLE_DEVICES"] = "0,1"
    known["torch_import"]["device_count"] = 2


def _fill_tmp(known: Report) -> None:
    known["paths"]["entries"][2]["mount"]["fstype"] = "nfs4"


Fault = tuple[str, Callable[[Report], object]]
FAULTS: tuple[Fault, ...] = (
    ("shm.size", lambda k: k["shm"].update(size=64 << 20, available=60 << 20)),
    (
        "limits.nofile.soft",
        lambda k: k["limits"].update(nofile={"soft": 1024, "hard": 1048576}),
    ),
    ("torch.version", _break_torch),
    (
        "packages.nvidia-nccl-cu12",
        lambda k: _change_package(k, "nvidia-nccl-cu12", "2.21.5"),
    ),
    ("gpu.count", _lose_gpu),
    ("gpu.error", _lose_driver),
    ("gpu.driver", lambda k: k["gpu"].update(driver="535.54.03", cuda="12.2")),
    ("gpu.pcie_width", lambda k: k["gpu"]["devices"][3].update(pcie_width=4)),
    ("gpu.ecc_uncorrected", lambda k: k["gpu"]["devices"][1].update(ecc_uncorrected=3)),
    ("gpu.persistence", lambda k: k["gpu"]["devices"][0].update(persistence=False)),
    (
        "cpu.quota.cpus",
        lambda k: k["cpu"].update(quota={"cpus": 8.0, "source": "/sys/fs/cgroup"}),
    ),
    ("cpu.affinity", lambda k: k["cpu"].update(affinity=4, affinity_list="0-3")),
    ("cpu.governor", lambda k: k["cpu"].update(governor="powersave")),
    ("memory.total", _lose_memory),
    (
        "memory.group.limit",
        lambda k: k["memory"].update(group={"limit": 64 * GIB, "source": "x"}),
    ),
    (
        "memory.transparent_hugepages",
        lambda k: k["memory"].update(transparent_hugepages="always"),
    ),
    ("datasets.cold_read.bytes_per_second", _slow_down_disk),
    ("paths.tmp.mount.fstype", _fill_tmp),
    ("variables.values.CUDA_VISIBLE_DEVICES", _hide_gpus),
    ("site.release", lambda k: k["site"].update(release="5.4.0-99-generic")),
)
FAULTY_NODES = 30


def generate_fleet(
    count: int, *, seed: int = 1, ill: int = FAULTY_NODES, packages_each: int = 330
) -> Iterator[tuple[str, Report, str]]:
    """Nodes by name, with their reports and the property that is wrong, or empty."""
    rng = random.Random(seed)
    for kind in NODE_KINDS:
        whole = build_report(kind, packages_each)
        listed = whole["facts"]["known"].pop("packages")["entries"]
        size = round(count * kind.share)
        ill_here = min(size, ill // 3) if kind.faulty else 0
        sick = {n: at for at, n in enumerate(rng.sample(range(size), ill_here))}
        for number in range(size):
            report = copy.deepcopy(whole)
            known = report["facts"]["known"]
            known["packages"] = {"entries": list(listed)}
            name = f"{kind.prefix}-{number + 1:04}"
            known["node"] = {"name": name}
            vary_report(report, rng, number)
            if number % EVERY == FIRST:
                merge_packages(report)
            fault = ""
            if number in sick:
                fault = _apply_fault(known, kind, sick[number])
            yield name, report, fault


def _apply_fault(known: Report, kind: NodeKind, number: int) -> str:
    able = [one for one in FAULTS if kind.gpus or not one[0].startswith(("gpu", "var"))]
    offset = {"h100": 0, "a100": 10, "cpu": 0}[kind.prefix]
    name, fault = able[(number + offset) % len(able)]
    fault(known)
    return name


def write_fleet(folder: Path, count: int, **options: Any) -> dict[str, str]:
    """Write a fleet into a folder; by node the property that is wrong with it."""
    truth: dict[str, str] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for name, report, fault in generate_fleet(count, **options):
        data = msgspec.json.format(msgspec.json.encode(report))
        (folder / f"{name}--20261123T060000Z.json").write_bytes(data)
        if fault:
            truth[name] = fault
    return truth


if __name__ == "__main__":
    found = write_fleet(Path(sys.argv[1]), int(sys.argv[2]))
    print(json.dumps(found, indent=1))
