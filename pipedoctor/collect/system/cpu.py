"""Read the processors: what the machine has, and what the examined process gets."""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path

from pipedoctor.collect.machine import Machine, read_file, read_int, read_or_default
from pipedoctor.collect.system import cpu_bounds
from pipedoctor.facts import Cpu, NumaNode, UnreadableError
from pipedoctor.facts.cpu import INSTRUCTION_SETS
from pipedoctor.runtime import regular_file
from pipedoctor.runtime.lanes import Announce

_CPUINFO_BYTES = 16 << 10
"""Bytes of /proc/cpuinfo that hold the first CPU; more of it costs time per CPU."""


def cpu(machine: Machine, announce: Announce) -> Cpu:
    """Count CPUs and every bound on them; Unreadable where /proc and /sys are not."""
    if not machine.system.startswith("linux"):
        announce("cpuinfo")
        return _read_with_psutil()
    announce("read /sys/devices/system/cpu")
    devices = machine.root / "sys/devices/system/cpu"
    model, flags = _read_model(machine)
    online = read_or_default(devices / "online").strip() or _list_cpuinfo_cpus(machine)
    affinity = cpu_bounds.read_affinity(machine)
    cpuset = cpu_bounds.read_cpuset(machine)
    quota, quota_unknown = cpu_bounds.read_quota(machine)
    slurm, per_task = cpu_bounds.read_slurm_cpus(machine)
    nodes = list(_read_numa_nodes(machine))
    frequency = devices / f"cpu{min(parse_cpu_list(online), default=0)}" / "cpufreq"
    return Cpu(
        logical=len(parse_cpu_list(online)),
        physical=_count_cores(devices, online),
        model=model,
        affinity=len(parse_cpu_list(affinity)) or None,
        cpuset=len(parse_cpu_list(cpuset)) or None,
        isolated=len(parse_cpu_list(read_or_default(devices / "isolated"))),
        online_list=online,
        affinity_list=affinity,
        cpuset_list=cpuset,
        pid=machine.pid,
        quota=quota,
        quota_unknown=quota_unknown,
        slurm_cpus=slurm,
        slurm_per_task=per_task,
        governor=read_or_default(frequency / "scaling_governor").strip(),
        scaling_driver=read_or_default(frequency / "scaling_driver").strip(),
        frequency=_read_hertz(frequency / "scaling_cur_freq"),
        max_frequency=_read_hertz(frequency / "cpuinfo_max_freq"),
        numa=tuple(node for node, _ in nodes),
        nodes_allowed=sum(bool(cpus & parse_cpu_list(affinity)) for _, cpus in nodes) or None,
        flags=flags,
    )


def parse_cpu_list(text: str) -> set[int]:
    """Read a list of CPUs as the kernel writes it: ``0-3,8`` is five of them."""
    found: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            found.update(range(int(first), int(last or first) + 1))
    return found


def _list_cpuinfo_cpus(machine: Machine) -> str:
    """CPUs by /proc/cpuinfo, where /sys is hidden."""
    lines = read_file(machine.proc / "cpuinfo").splitlines()
    found = [line.split(":")[1].strip() for line in lines if line.startswith("proc")]
    if not found:
        message = "neither /sys/devices/system/cpu nor /proc/cpuinfo lists the CPUs"
        raise UnreadableError(message)
    return ",".join(found)


def _read_model(machine: Machine) -> tuple[str, tuple[str, ...]]:
    try:
        head = regular_file.read_start(machine.proc / "cpuinfo", _CPUINFO_BYTES)
    except OSError:
        return "", ()
    lines = head.decode("utf-8", errors="replace").splitlines()
    pairs = [line.partition(":") for line in reversed(lines)]
    first = {key.strip(): value.strip() for key, _, value in pairs}
    flags = first.get("flags", "").split()
    return first.get("model name", ""), tuple(f for f in INSTRUCTION_SETS if f in flags)


def _count_cores(devices: Path, online: str) -> int | None:
    """Count the cores; CPUs that are threads of one core name the same siblings."""
    topologies = [devices / f"cpu{number}/topology" for number in parse_cpu_list(online)]
    cores = {
        read_or_default(topology / "core_cpus_list")
        or read_or_default(topology / "thread_siblings_list")
        for topology in topologies
    }
    return None if "" in cores else len(cores)


def _read_numa_nodes(machine: Machine) -> Iterator[tuple[NumaNode, set[int]]]:
    folder = machine.root / "sys/devices/system/node"
    for number in sorted(parse_cpu_list(read_or_default(folder / "online"))):
        node = folder / f"node{number}"
        cpus = parse_cpu_list(read_or_default(node / "cpulist"))
        _, _, total = read_or_default(node / "meminfo").partition("MemTotal:")
        size = (total.split() or [""])[0]
        memory = int(size) * 1024 if size.isdecimal() else None
        yield NumaNode(node=number, cpus=len(cpus), memory=memory), cpus


def _read_hertz(file: Path) -> int | None:
    kilohertz = read_int(file)
    return None if kilohertz is None else kilohertz * 1000


def _read_with_psutil() -> Cpu:
    """Count CPUs on macOS and Windows; py-cpuinfo takes more than a second there."""
    import psutil  # noqa: PLC0415  (only where /proc is absent)

    seen = _call_py_cpuinfo()
    return Cpu(
        logical=psutil.cpu_count() or 1,
        physical=psutil.cpu_count(logical=False),
        model=str(seen.get("brand_raw", "")),
        quota_unknown="only Linux has CPU quotas",
        flags=tuple(flag for flag in INSTRUCTION_SETS if flag in str(seen.get("flags")).split("'")),
    )


def _call_py_cpuinfo() -> dict[str, object]:
    """Call py-cpuinfo, which has no types."""
    cpuinfo = importlib.import_module("cpuinfo")
    ask: Callable[[], dict[str, object]] = cpuinfo.get_cpu_info
    return ask()
