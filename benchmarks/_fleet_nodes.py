"""Made-up nodes of a cluster: the whole report of a healthy node of each kind."""

from typing import Any

import msgspec
from _fleet_packages import build_packages

Report = dict[str, Any]
GIB = 1 << 30
ROLES = ("data", "home", "tmp", "cache")
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
