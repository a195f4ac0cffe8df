"""
Every property of a node that is compared with its peers, and what it follows from.

What is each node's own is in none of these tables: names, UUIDs, job ids, device
names, times, paths, counters since boot, free memory, temperatures, clocks.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pipedoctor.facts.fleet import NodeProperty, SeverityName, WorseDirection

Unit = Literal["", "bytes", "bytes/s", "seconds", "hertz"]
GIB = float(1 << 30)


def _define_number(
    name: str,
    severity: SeverityName = "note",
    *,
    worse: WorseDirection = "less",
    unit: Unit = "",
    near: float = 0.05,
    least: float = 0.0,
) -> NodeProperty:
    return NodeProperty(
        name=name,
        kind="number",
        worse=worse,
        severity=severity,
        unit=unit,
        near=near,
        least=least,
    )


def _define_category(name: str, severity: SeverityName = "note") -> NodeProperty:
    return NodeProperty(name=name, severity=severity)


def _define_rate(name: str, *, worse: WorseDirection = "less", unit: Unit = "") -> NodeProperty:
    return NodeProperty(name=name, kind="rate", worse=worse, severity="slows", unit=unit, near=0.0)


KNOWN_PROPERTIES: Mapping[str, NodeProperty] = {
    one.name: one
    for one in (
        _define_category("site.system", "risks"),
        _define_category("site.release"),
        _define_category("site.distribution"),
        _define_category("site.machine", "risks"),
        _define_category("site.container"),
        _define_category("site.virtual"),
        _define_category("site.wsl"),
        _define_category("site.notebook"),
        _define_category("site.root"),
        _define_category("site.sys_admin"),
        _define_category("site.sys_resource"),
        _define_category("site.systemd"),
        _define_number("shm.size", "risks", unit="bytes", near=0.1),
        _define_category("shm.fstype"),
        _define_category("shm.mounted"),
        _define_category("shm.read_only", "breaks"),
        _define_category("shm.missing", "breaks"),
        _define_number("cpu.logical", "slows"),
        _define_number("cpu.physical", "slows"),
        _define_category("cpu.model"),
        _define_category("cpu.flags", "risks"),
        _define_number("cpu.affinity", "slows"),
        _define_number("cpu.cpuset", "slows"),
        _define_number("cpu.isolated", "slows", worse="more"),
        _define_number("cpu.quota.cpus", "slows"),
        _define_number("cpu.slurm_cpus", "slows"),
        _define_category("cpu.governor", "slows"),
        _define_category("cpu.scaling_driver"),
        _define_number("cpu.max_frequency", "slows", unit="hertz", near=0.15),
        _define_number("cpu.numa", "note"),
        _define_number("cpu.numa.memory", "slows", unit="bytes", near=0.1, least=GIB),
        _define_number("memory.total", "risks", unit="bytes", near=0.025, least=GIB),
        _define_number("memory.swap_total", unit="bytes", worse="", least=GIB),
        _define_number("memory.group.limit", "risks", unit="bytes", near=0.025),
        _define_number("memory.group.swap", unit="bytes", worse="", least=GIB),
        _define_category("memory.overcommit", "risks"),
        _define_category("memory.swappiness"),
        _define_category("memory.transparent_hugepages"),
        _define_category("memory.hugepage_defrag"),
        _define_number("limits.nofile.soft", "risks"),
        _define_number("limits.nofile.hard", "risks"),
        _define_number("limits.nproc.soft", "risks", near=0.1),
        _define_number("limits.nproc.hard", "risks", near=0.1),
        _define_number("limits.memlock.soft", "risks", unit="bytes"),
        _define_number("limits.memlock.hard", "risks", unit="bytes"),
        _define_number("limits.nr_open"),
        _define_number("limits.file_max", "risks", near=0.1),
        _define_number("limits.threads_max", "risks", near=0.1),
        _define_number("limits.pid_max", "risks"),
        _define_number("limits.pids_max", "risks", near=0.1),
        _define_number("limits.max_map_count", "risks"),
        _define_number("limits.inotify_watches", "risks", near=0.1),
        _define_number("limits.inotify_instances", "risks"),
        _define_category("limits.exempt_from_nproc"),
        _define_category("limits.exempt_from_memlock"),
        _define_number("limits.rdma_devices", "risks"),
        _define_number("limits.tcp_receive_buffer", "slows", unit="bytes"),
        _define_category("logind.running"),
        _define_category("logind.remove_ipc", "risks"),
        _define_category("logind.linger"),
        _define_number("datasets.sample.files", "risks", near=0.01),
        _define_category("datasets.mount.fstype", "slows"),
        _define_category("datasets.hang", "breaks"),
        _define_rate("datasets.cold_read.bytes_per_second", unit="bytes/s"),
        _define_rate("datasets.cold_read.small_files_per_second"),
        _define_rate("bench_disk.bytes_per_second", unit="bytes/s"),
        _define_category("gpu.driver", "risks"),
        _define_category("gpu.cuda", "risks"),
        _define_category("gpu.error", "breaks"),
        _define_category("gpu.hang", "breaks"),
        _define_number("gpu.count", "breaks", near=0.01),
        _define_category("gpu.name", "risks"),
        _define_category("gpu.capability", "risks"),
        _define_number("gpu.memory", "risks", unit="bytes"),
        _define_number("gpu.pcie_generation_max", "slows", near=0.01),
        _define_number("gpu.pcie_width", "slows", near=0.01),
        _define_number("gpu.pcie_width_max", "slows", near=0.01),
        _define_category("gpu.persistence"),
        _define_category("gpu.mig", "risks"),
        _define_category("gpu.throttled", "slows"),
        _define_number("gpu.ecc_uncorrected", "risks", worse="more"),
        _define_category("gpu.remap_pending", "risks"),
        _define_category("gpu.remap_failed", "breaks"),
        _define_category("gpu.lost", "breaks"),
        _define_number("accelerators.pci", "breaks", near=0.01),
        _define_category("accelerators.driver", "risks"),
        _define_category("accelerators.nvidia_module", "risks"),
        _define_number("accelerators.nvidia_nodes", "risks", near=0.01),
        _define_category("accelerators.uvm_loaded", "risks"),
        _define_number("accelerators.unusable_nodes", "risks", worse="more", near=0.01),
        _define_category("accelerators.rocm", "risks"),
        _define_category("accelerators.xids", "risks"),
        _define_category("accelerators.compat_libcuda"),
        _define_category("accelerators.toolkit"),
        _define_category("interpreter.version", "risks"),
        _define_category("interpreter.implementation", "risks"),
        _define_category("interpreter.kind"),
        _define_category("interpreter.manager"),
        _define_category("interpreter.glibc", "risks"),
        _define_category("interpreter.bits", "risks"),
        _define_category("interpreter.startup_error", "breaks"),
        _define_category("interpreter.user_site", "risks"),
        _define_category("torch.version", "risks"),
        _define_category("torch.local", "risks"),
        _define_category("torch.cuda", "risks"),
        _define_category("torch.hip", "risks"),
        _define_category("torch.xpu", "risks"),
        _define_category("torch.debug", "slows"),
        _define_category("torch.cudnn", "risks"),
        _define_category("torch_import.ok", "breaks"),
        _define_category("torch_import.error", "breaks"),
        _define_category("torch_import.hang", "breaks"),
        _define_category("torch_import.version", "risks"),
        _define_category("torch_import.cuda_available", "breaks"),
        _define_number("torch_import.device_count", "breaks", near=0.01),
        _define_category("torch_import.cudnn_version", "risks"),
        _define_category("torch_import.numpy_ok", "risks"),
        _define_category("requirements.unmet", "risks"),
        _define_category("libraries.missing", "risks"),
        _define_category("libraries.unmet", "risks"),
        _define_category("image_stack.pillow_version"),
        _define_category("image_stack.pillow_broken", "breaks"),
        _define_rate("node_probe.decode_seconds", worse="more", unit="seconds"),
        _define_category("node_probe.decoder"),
        _define_rate("node_probe.page_faults_per_second"),
        _define_rate("node_probe.memory_bytes_per_second", unit="bytes/s"),
        _define_rate("node_probe.transfer_bytes_per_second", unit="bytes/s"),
    )
}

NAMED: Mapping[str, NodeProperty] = {
    one.name: one
    for one in (
        _define_category("packages", "risks"),
        _define_category("conda.packages", "risks"),
        _define_category("threads.asked", "slows"),
        _define_category("threads.odd", "slows"),
        _define_category("variables.values", "risks"),
        _define_category("libraries", "note"),
        _define_category("image_stack", "slows"),
        _define_category("paths.hang", "breaks"),
        _define_category("paths.error", "risks"),
        _define_category("paths.exists", "risks"),
        _define_category("paths.writable", "risks"),
        _define_category("paths.mount.fstype", "risks"),
        _define_category("paths.mount.options"),
        _define_number("paths.size", "note", unit="bytes", near=0.1, least=GIB),
        _define_category("paths.disks.transport", "slows"),
        _define_category("paths.disks.rotational", "slows"),
    )
}
"""Of properties with a name in them: ``packages.numpy``, ``paths.tmp.size``."""


def get_property(name: str) -> NodeProperty:
    """How this property is compared."""
    known = KNOWN_PROPERTIES.get(name)
    if known is not None:
        return known
    section, _, rest = name.partition(".")
    if section == "paths":
        kind = NAMED.get(f"paths.{rest.partition('.')[2]}", NAMED["paths.error"])
    elif section in {"packages", "libraries", "image_stack"}:
        kind = NAMED[section]
    else:
        kind = NAMED.get(f"{section}.{rest.partition('.')[0]}", NAMED["libraries"])
    return NodeProperty(
        name=name,
        kind=kind.kind,
        worse=kind.worse,
        severity=kind.severity,
        unit=kind.unit,
        near=kind.near,
        least=kind.least,
    )


def format_value(value: Any, unit: str) -> str:
    """A value in words: sizes in units, nothing as ``none``."""
    from pipedoctor.units import format_seconds, format_size  # noqa: PLC0415  (facts come first)

    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and unit in {"bytes", "bytes/s"}:
        return f"{format_size(int(value))}{unit.removeprefix('bytes')}"
    if isinstance(value, (int, float)) and unit == "seconds":
        return format_seconds(value)
    if isinstance(value, (int, float)) and unit == "hertz":
        return f"{value / 1e9:.2f} GHz"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
