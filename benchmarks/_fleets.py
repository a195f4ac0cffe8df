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

Report = dict[str, Any]
GIB = 1 << 30
HOME = Path(__file__).resolve().parent
ROLES = ("data", "home", "tmp", "cache")
EVERY, FIRST = 8, 3
"""Which nodes have an update already that the others will get."""
CREATED = "2026-11-23T06:00:00Z"


class NodeKind(msgspec.Struct, frozen=True):
    """A kind of node."""

    prefix: str
    share: float
    gpu: str
    pci: str
    gpus: int
    gpu_memory: int
    cpus: int
    memory: int
    faulty: bool = True


NODE_KINDS = (
    NodeKind("h100", 0.55, "NVIDIA H100 80GB HBM3", "2330", 8, 85 * 10**9, 192, 2048 * GIB),
    NodeKind("a100", 0.3, "NVIDIA A100-SXM4-40GB", "20b0", 8, 42 * 10**9, 128, 1024 * GIB),
    NodeKind("cpu", 0.1, "", "", 0, 0, 128, 512 * GIB),
    NodeKind("login", 0.05, "", "", 0, 0, 32, 192 * GIB, faulty=False),
)
NAMES = [
    "aiohttp",
    "attrs",
    "certifi",
    "charset-normalizer",
    "click",
    "cloudpickle",
    "contourpy",
    "cycler",
    "datasets",
    "dill",
    "einops",
    "filelock",
    "fonttools",
    "frozenlist",
    "fsspec",
    "huggingface-hub",
    "idna",
    "jinja2",
    "kiwisolver",
    "lightning",
    "markupsafe",
    "matplotlib",
    "mpmath",
    "multidict",
    "multiprocess",
    "networkx",
    "numpy",
    "nvidia-cublas-cu12",
    "nvidia-cuda-cupti-cu12",
    "nvidia-cuda-nvrtc-cu12",
    "nvidia-cuda-runtime-cu12",
    "nvidia-cudnn-cu12",
    "nvidia-",
    "cufft-cu12",
    "nvidia-nccl-cu12",
    "nvidia-nvjitlink-cu12",
    "packaging",
    "pandas",
    "pillow",
    "pip",
    "protobuf",
    "psutil",
    "pyarrow",
    "pyparsing",
    "python-dateutil",
    "pytz",
    "pyyaml",
    "regex",
    "requests",
    "safetensors",
    "scipy",
    "sentencepiece",
    "setuptools",
    "six",
    "sympy",
    "tensorboard",
    "timm",
    "tokenizers",
    "torch",
    "torchaudio",
    "torchvision",
    "tqdm",
    "transformers",
    "triton",
    "typing-extensions",
    "urllib3",
    "wandb",
    "webdataset",
    "wheel",
    "yarl",
]


def build_packages(total: int) -> list[Report]:
    """As many distributions as make a report as large as real ones are."""
    names = [*NAMES, *(f"site-tool-{n:03}" for n in range(total - len(NAMES)))]
    versions = {
        "torch": "2.9.1",
        "torchvision": "0.24.1",
        "torchaudio": "2.9.1",
        "nvidia-nccl-cu12": "2.27.5",
        "nvidia-cudnn-cu12": "9.10.2.21",
        "numpy": "2.2.6",
        "pillow": "12.0.0",
        "triton": "3.5.1",
    }
    return [
        {
            "name": name,
            "version": versions.get(name, f"1.{len(name)}.{at % 10}"),
            "location": "/opt/train/lib/python3.12/site-packages",
            "installer": "pip",
            "origin": "",
            "build": "",
            "channel": "",
            "tags": ["cp312-cp312-manylinux_2_28_x86_64"] if at % 9 == 0 else [],
        }
        for at, name in enumerate(names)
    ]


def _build_cpu(kind: NodeKind) -> Report:
    """The processors of a node."""
    return {
        "logical": kind.cpus,
        "physical": kind.cpus // 2,
        "model": "Intel(R) Xeon(R) Platinum 8468",
        "affinity": kind.cpus,
        "cpuset": kind.cpus,
        "online_list": f"0-{kind.cpus - 1}",
        "affinity_list": f"0-{kind.cpus - 1}",
        "governor": "performance",
        "scaling_driver": "intel_pstate",
        "frequency": 2_100_000_000,
        "max_frequency": 3_800_000_000,
        "numa": [{"node": n, "cpus": kind.cpus // 2, "memory": kind.memory // 2} for n in range(2)],
        "nodes_allowed": 2,
        "flags": ["sse2", "sse4_2", "avx", "avx2", "avx512f"],
    }


def _build_limits(kind: NodeKind) -> Report:
    """Its limits, which are generous."""
    return {
        "nofile": {"soft": 1048576, "hard": 1048576},
        "nproc": {"soft": 8254000, "hard": 8254000},
        "memlock": {"soft": None, "hard": None},
        "nr_open": 1048576,
        "file_max": 9223372036854775807,
        "files_in_use": 9000,
        "user_threads": 900,
        "exempt_from_nproc": True,
        "threads_max": 16508000,
        "pid_max": 4194304,
        "system_threads": 2400,
        "pids_max": 12382,
        "max_map_count": 65530,
        "inotify_watches": 1048576,
        "inotify_instances": 128,
        "rdma_devices": [f"mlx5_{n}" for n in range(kind.gpus + 1)],
        "tcp_receive_buffer": 67108864,
    }


def _build_memory(kind: NodeKind) -> Report:
    """Its memory, nearly all of it available."""
    return {
        "total": kind.memory,
        "available": kind.memory * 9 // 10,
        "overcommit": 0,
        "commit_limit": kind.memory // 2,
        "committed": 9 * GIB,
        "swappiness": 60,
        "transparent_hugepages": "madvise",
        "hugepage_defrag": "madvise",
        "compaction_stalls": 12,
    }


def _build_torch_import(kind: NodeKind) -> Report:
    """The result of importing torch."""
    return {
        "ok": True,
        "seconds": 3.1,
        "version": "2.9.1+cu128",
        "cuda_available": bool(kind.gpus),
        "device_count": kind.gpus,
        "cudnn_version": 91002,
        "numpy_ok": True,
        "threads": kind.cpus // 2,
    }


def _build_interpreter() -> Report:
    """The examined interpreter."""
    return {
        "version": "3.12.7",
        "executable": "/opt/train/bin/python",
        "prefix": "/opt/train",
        "kind": "venv",
        "manager": "pip",
        "glibc": "2.35",
        "bits": 64,
    }


def _build_accelerators(kind: NodeKind) -> Report:
    """PCI devices and the NVIDIA driver."""
    return {
        "pci": [
            {"vendor": "10de", "device": kind.pci, "driver": "nvidia"} for _ in range(kind.gpus)
        ],
        "nvidia_module": "570.172.08" if kind.gpus else "",
        "nvidia_nodes": [f"/dev/nvidia{n}" for n in range(kind.gpus)],
        "uvm_loaded": bool(kind.gpus),
        "xids": [],
    }


def _build_site() -> Report:
    """The operating system."""
    return {
        "system": "linux",
        "release": "5.15.0-130-generic",
        "distribution": "Ubuntu 22.04.5 LTS",
        "machine": "x86_64",
        "root": True,
        "systemd": True,
    }


def _build_image_stack() -> Report:
    """The image decoders."""
    return {
        "decoders": [
            {
                "name": "pillow",
                "version": "12.0.0",
                "libjpeg_turbo": "3.1.2",
                "libjpeg_kind": "turbo",
            }
        ],
        "pillow_version": "12.0.0",
    }


def build_report(kind: NodeKind, total: int) -> Report:
    """A healthy node of this kind."""
    known: Report = {
        "site": _build_site(),
        "shm": {"size": kind.memory // 2, "used": 4096, "available": kind.memory // 2},
        "cpu": _build_cpu(kind),
        "threads": {"asked": {"OMP_NUM_THREADS": 8}, "odd": {}},
        "memory": _build_memory(kind),
        "limits": _build_limits(kind),
        "logind": {"running": True, "remove_ipc": False, "uid": 0},
        "paths": {"entries": [_build_place(role) for role in ("data", "home", "tmp", "cache")]},
        "datasets": {"entries": [_build_dataset()]},
        "interpreter": _build_interpreter(),
        "variables": {"values": {"CUDA_HOME": "/usr/local/cuda"}},
        "torch": {"version": "2.9.1", "local": "cu128", "cuda": "12.8"},
        "torch_import": _build_torch_import(kind),
        "packages": {"entries": build_packages(total)},
        "requirements": {"unmet": [], "judged": 800},
        "image_stack": _build_image_stack(),
        "accelerators": _build_accelerators(kind),
    }
    unknown = {"log": "no log given", "conda": "/opt/train is not a conda environment"}
    if kind.gpus:
        devices = [_build_device(kind, n) for n in range(kind.gpus)]
        known["gpu"] = {"driver": "570.172.08", "cuda": "12.8", "devices": devices}
    else:
        unknown["gpu"] = "libnvidia-ml.so.1 not found"
    return {
        "schema": "pipedoctor.report/1",
        "tool": {"name": "pipedoctor", "version": "0.4.0"},
        "created": CREATED,
        "seconds": 2.1,
        "facts": {"known": known, "unknown": unknown},
        "findings": [_build_finding("PDR863", "environment-not-recorded", "note")],
        "healthy": [f"PDR{n}" for n in range(701, 760)],
        "skipped": [
            {"code": f"PDR{n}", "name": f"hazard-{n}", "reason": "no PATHS given"}
            for n in range(201, 260)
        ],
        "summary": {"breaks": 0, "risks": 0, "slows": 0, "note": 1},
    }


def _build_place(role: str) -> Report:
    kinds = {"data": "lustre", "home": "nfs4"}
    point = {"data": "/data", "home": "/home", "tmp": "/local", "cache": "/local"}[role]
    return {
        "role": role,
        "path": f"{point}/user",
        "named_by": "default",
        "exists": True,
        "writable": role != "data",
        "mount": {
            "point": point,
            "fstype": kinds.get(role, "xfs"),
            "source": "/dev/nvme1n1",
            "options": ["rw", "relatime"],
        },
        "size": 3_840_000_000_000,
        "free": 3_000_000_000_000,
        "inodes": 375_000_000,
        "disks": [{"name": "nvme1n1", "transport": "nvme", "rotational": False}],
    }


def _build_dataset() -> Report:
    return {
        "path": "/data/imagenet",
        "mount": {"point": "/data", "fstype": "lustre", "source": "mds@tcp:/data"},
        "stack": ["lustre"],
        "sample": {"files": 20000, "bytes": 2 * 10**9, "complete": False, "seconds": 1},
        "cold_read": {
            "files": 48,
            "bytes": 64 << 20,
            "seconds": 0.5,
            "open_seconds": 0.05,
            "cold": True,
            "small_files": 32,
            "small_seconds": 0.064,
            "large_bytes": 60 << 20,
            "large_seconds": 0.05,
        },
    }


def _build_device(kind: NodeKind, index: int) -> Report:
    return {
        "index": index,
        "name": kind.gpu,
        "memory": kind.gpu_memory,
        "capability": "9.0" if "H100" in kind.gpu else "8.0",
        "uuid": "",
        "pcie_generation": 1,
        "pcie_generation_max": 5,
        "pcie_width": 16,
        "pcie_width_max": 16,
        "persistence": True,
        "throttled": ["idle"],
        "utilisation": 0,
        "pstate": 0,
        "ecc_uncorrected": 0,
        "remap_pending": False,
        "remap_failed": False,
        "mig": False,
        "numa_node": index // 4,
        "temperature": 30,
    }


def _build_finding(code: str, name: str, severity: str, **evidence: object) -> Report:
    return {
        "rank": 1,
        "code": code,
        "name": name,
        "severity": severity,
        "title": name.replace("-", " "),
        "summary": name.replace("-", " "),
        "evidence": evidence,
        "confidence": "certain",
        "remedies": [],
        "sources": [],
    }


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
