"""Which properties follow from which others, so that one cause is one row."""

from collections.abc import Mapping, Sequence

CAUSES: Mapping[str, tuple[str, ...]] = {
    "site.sys_admin": ("site.container", "site.root"),
    "site.sys_resource": ("site.container", "site.root"),
    "site.systemd": ("site.container",),
    "site.virtual": ("site.container",),
    "shm.size": ("shm.missing",),
    "shm.fstype": ("shm.missing", "shm.mounted"),
    "shm.mounted": ("shm.missing", "site.container"),
    "cpu.flags": ("cpu.model",),
    "cpu.max_frequency": ("cpu.model",),
    "cpu.physical": ("cpu.logical", "cpu.model"),
    "cpu.logical": ("cpu.model",),
    "cpu.numa": ("cpu.logical", "cpu.model"),
    "cpu.numa.memory": ("cpu.numa", "cpu.logical", "cpu.model"),
    "cpu.cpuset": ("cpu.affinity",),
    "cpu.scaling_driver": ("cpu.governor",),
    "cpu.governor": ("cpu.model",),
    "memory.group.swap": ("memory.group.limit",),
    "limits.nofile.hard": ("limits.nofile.soft",),
    "limits.nproc.hard": ("limits.nproc.soft",),
    "limits.memlock.hard": ("limits.memlock.soft",),
    "limits.exempt_from_nproc": ("site.root", "site.container"),
    "limits.exempt_from_memlock": ("site.root", "site.container"),
    "logind.remove_ipc": ("logind.running",),
    "logind.running": ("site.systemd", "site.container"),
    "logind.linger": ("site.root", "logind.running"),
    "datasets.hang": ("paths.data.hang", "paths.data.error", "paths.data.exists"),
    "datasets.mount.fstype": ("paths.data.mount.fstype", "paths.data.exists"),
    "datasets.sample.files": ("datasets.mount.fstype", "datasets.hang"),
    "datasets.cold_read.bytes_per_second": ("datasets.mount.fstype", "datasets.hang"),
    "datasets.cold_read.small_files_per_second": (
        "datasets.cold_read.bytes_per_second",
        "datasets.mount.fstype",
        "datasets.hang",
    ),
    "bench_disk.bytes_per_second": ("datasets.cold_read.bytes_per_second",),
    "gpu.driver": ("gpu.error", "gpu.hang"),
    "gpu.cuda": ("gpu.driver",),
    "gpu.count": ("gpu.error", "gpu.hang"),
    "gpu.lost": ("gpu.count",),
    "gpu.name": ("gpu.error", "gpu.hang"),
    "gpu.capability": ("gpu.name", "gpu.error", "gpu.hang"),
    "gpu.memory": ("gpu.name", "gpu.mig"),
    "gpu.pcie_width": ("gpu.pcie_width_max",),
    "accelerators.pci": ("gpu.count",),
    "accelerators.driver": ("gpu.error", "gpu.driver"),
    "accelerators.nvidia_module": ("gpu.driver", "gpu.error"),
    "accelerators.nvidia_nodes": ("gpu.count", "gpu.error", "gpu.driver", "gpu.mig"),
    "accelerators.uvm_loaded": ("gpu.error", "gpu.driver"),
    "accelerators.xids": ("gpu.count", "gpu.error", "gpu.ecc_uncorrected"),
    "variables.values.CUDA_VISIBLE_DEVICES": ("gpu.count",),
    "gpu.remap_failed": ("gpu.remap_pending",),
    "gpu.ecc_uncorrected": ("gpu.remap_pending", "gpu.remap_failed", "gpu.count"),
    "interpreter.implementation": ("interpreter.version",),
    "interpreter.glibc": ("site.distribution",),
    "site.release": ("site.distribution",),
    "torch.local": ("torch.version",),
    "torch.cuda": ("torch.version", "torch.local"),
    "torch.hip": ("torch.version", "torch.local"),
    "torch.xpu": ("torch.version", "torch.local"),
    "torch.cudnn": ("torch.version", "torch.cuda"),
    "torch_import.ok": ("torch.version", "interpreter.startup_error"),
    "torch_import.error": ("torch_import.ok", "torch_import.hang"),
    "torch_import.version": ("torch.version", "torch.local", "torch_import.ok"),
    "torch_import.cuda_available": (
        "torch_import.ok",
        "gpu.error",
        "gpu.hang",
        "gpu.driver",
        "gpu.count",
        "accelerators.pci",
        "torch.local",
        "torch.cuda",
        "variables.values.CUDA_VISIBLE_DEVICES",
    ),
    "torch_import.device_count": (
        "torch_import.cuda_available",
        "gpu.count",
        "accelerators.pci",
        "variables.values.CUDA_VISIBLE_DEVICES",
    ),
    "torch_import.cudnn_version": ("torch.version", "packages.nvidia-cudnn-cu12"),
    "torch_import.numpy_ok": ("packages.numpy",),
    "requirements.unmet": ("packages.*",),
    "image_stack.pillow_version": ("packages.pillow", "image_stack.pillow"),
    "node_probe.decode_seconds": ("cpu.governor", "node_probe.decoder"),
    "node_probe.page_faults_per_second": ("cpu.governor",),
    "node_probe.memory_bytes_per_second": ("cpu.governor",),
    "node_probe.transfer_bytes_per_second": ("gpu.pcie_width", "gpu.pcie_width_max"),
}

SCALING_CAUSES: Mapping[str, tuple[str, ...]] = {
    "shm.size": ("memory.total", "memory.group.limit"),
    "memory.group.limit": ("memory.total",),
    "cpu.numa.memory": ("memory.total",),
    "limits.file_max": ("memory.total",),
    "limits.threads_max": ("memory.total",),
    "limits.nproc.soft": ("memory.total", "limits.threads_max"),
    "limits.nproc.hard": ("memory.total", "limits.threads_max"),
    "limits.pids_max": ("memory.total", "limits.threads_max"),
    "limits.inotify_watches": ("memory.total",),
    "limits.tcp_receive_buffer": ("memory.total",),
    "limits.memlock.soft": ("memory.total",),
    "limits.memlock.hard": ("memory.total",),
    "limits.pid_max": ("cpu.logical",),
    "cpu.affinity": ("cpu.logical",),
    "cpu.cpuset": ("cpu.logical", "cpu.affinity"),
    "cpu.slurm_cpus": ("cpu.logical", "cpu.affinity"),
}
"""They follow only where they shrink, or grow, by the same ratio."""

_TORCH_PACKAGES = ("torch", "torchvision", "torchaudio", "triton", "pytorch")
_PATH_PROPERTIES = ("hang", "error", "exists", "mount.fstype", "writable", "size", "mount.options")
"""Of one place: each explains those after it."""


def list_causes(name: str) -> Sequence[str]:
    """Properties that this one follows from; ``packages.*`` means any package."""
    known = CAUSES.get(name)
    if known is not None:
        return known
    section, _, rest = name.partition(".")
    if section == "packages":
        wheel = rest.startswith(("nvidia-", "torch")) or rest in _TORCH_PACKAGES
        return ("torch.version", "torch.local") if wheel else ()
    if section == "conda":
        return (f"packages.{rest.removeprefix('packages.')}", "torch.version")
    if section == "libraries":
        return ("packages.*", "torch.version", "site.distribution")
    if section == "image_stack":
        return _list_causes_of_decoder(*rest.partition("."))
    return _list_causes_at_place(name) if section == "paths" else ()


def _list_causes_of_decoder(name: str, dot: str, field: str) -> Sequence[str]:
    causes = [f"packages.{name}", f"image_stack.{name}"] if dot else [f"packages.{name}"]
    return (*causes, f"image_stack.{name}.libjpeg_kind") if field == "libjpeg_turbo" else causes


def _list_causes_at_place(name: str) -> Sequence[str]:
    _, role, what = name.split(".", 2)
    if what.startswith("disks."):
        turning = (f"paths.{role}.disks.rotational",) if what == "disks.transport" else ()
        return (*(f"paths.{role}.{one}" for one in _PATH_PROPERTIES), *turning)
    before = _PATH_PROPERTIES[: _PATH_PROPERTIES.index(what)] if what in _PATH_PROPERTIES else ()
    return tuple(f"paths.{role}.{one}" for one in before)
