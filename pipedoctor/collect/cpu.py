"""Read the processors: what the machine has, and what the examined process gets."""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path

from pipedoctor.collect import cpu_bounds
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine, read, read_int, read_or
from pipedoctor.facts import Cpu, NumaNode, Unreadable
from pipedoctor.facts.cpu import TELLING

_FIRST = 16 << 10
"""Bytes of /proc/cpuinfo that hold the first CPU; more of it costs time per CPU."""


def cpu(machine: Machine, announce: Announce) -> Cpu:
    """Count CPUs and every bound on them; Unreadable where /proc and /sys are not."""
    if not machine.system.startswith("linux"):
        announce("cpuinfo")
        return _elsewhere()
    announce("read /sys/devices/system/cpu")
    devices = machine.root / "sys/devices/system/cpu"
    model, flags = _model(machine)
    online = read_or(devices / "online").strip() or _counted(machine)
    affinity = cpu_bounds.affinity(machine)
    cpuset = cpu_bounds.cpuset(machine)
    quota, quota_unknown = cpu_bounds.quota(machine)
    slurm, per_task = cpu_bounds.slurm(machine)
    nodes = list(_nodes(machine))
    frequency = devices / f"cpu{min(members(online), default=0)}" / "cpufreq"
    return Cpu(
        logical=len(members(online)),
        physical=_physical(devices, online),
        model=model,
        affinity=len(members(affinity)) or None,
        cpuset=len(members(cpuset)) or None,
        isolated=len(members(read_or(devices / "isolated"))),
        online_list=online,
        affinity_list=affinity,
        cpuset_list=cpuset,
        pid=machine.pid,
        quota=quota,
        quota_unknown=quota_unknown,
        slurm_cpus=slurm,
        slurm_per_task=per_task,
        governor=read_or(frequency / "scaling_governor").strip(),
        scaling_driver=read_or(frequency / "scaling_driver").strip(),
        frequency=_hertz(frequency / "scaling_cur_freq"),
        max_frequency=_hertz(frequency / "cpuinfo_max_freq"),
        numa=tuple(node for node, _ in nodes),
        nodes_allowed=sum(bool(cpus & members(affinity)) for _, cpus in nodes) or None,
        flags=flags,
    )


def members(text: str) -> set[int]:
    """Read a list of CPUs as the kernel writes it: ``0-3,8`` is five of them."""
    found: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            found.update(range(int(first), int(last or first) + 1))
    return found


def _counted(machine: Machine) -> str:
    """CPUs by /proc/cpuinfo, where /sys is hidden."""
    lines = read(machine.proc / "cpuinfo").splitlines()
    found = [line.split(":")[1].strip() for line in lines if line.startswith("proc")]
    if not found:
        message = "neither /sys/devices/system/cpu nor /proc/cpuinfo lists the CPUs"
        raise Unreadable(message)
    return ",".join(found)


def _model(machine: Machine) -> tuple[str, tuple[str, ...]]:
    try:
        with (machine.proc / "cpuinfo").open(
            encoding="utf-8", errors="replace"
        ) as all_:
            lines = all_.read(_FIRST).splitlines()
    except OSError:
        return "", ()
    pairs = [line.partition(":") for line in reversed(lines)]
    first = {key.strip(): value.strip() for key, _, value in pairs}
    flags = first.get("flags", "").split()
    return first.get("model name", ""), tuple(f for f in TELLING if f in flags)


def _physical(devices: Path, online: str) -> int | None:
    """Count the cores; CPUs that are threads of one core name the same siblings."""
    topologies = [devices / f"cpu{number}/topology" for number in members(online)]
    cores = {
        read_or(topology / "core_cpus_list")
        or read_or(topology / "thread_siblings_list")
        for topology in topologies
    }
    return None if "" in cores else len(cores)


def _nodes(machine: Machine) -> Iterator[tuple[NumaNode, set[int]]]:
    folder = machine.root / "sys/devices/system/node"
    for number in sorted(members(read_or(folder / "online"))):
        node = folder / f"node{number}"
        cpus = members(read_or(node / "cpulist"))
        _, _, total = read_or(node / "meminfo").partition("MemTotal:")
        size = (total.split() or [""])[0]
        memory = int(size) * 1024 if size.isdecimal() else None
        yield NumaNode(node=number, cpus=len(cpus), memory=memory), cpus


def _hertz(file: Path) -> int | None:
    kilohertz = read_int(file)
    return None if kilohertz is None else kilohertz * 1000


def _elsewhere() -> Cpu:
    """Count CPUs on macOS and Windows; py-cpuinfo takes more than a second there."""
    import psutil  # noqa: PLC0415  (only where /proc is absent)

    seen = _described()
    return Cpu(
        logical=psutil.cpu_count() or 1,
        physical=psutil.cpu_count(logical=False),
        model=str(seen.get("brand_raw", "")),
        quota_unknown="only Linux has CPU quotas",
        flags=tuple(
            flag for flag in TELLING if flag in str(seen.get("flags")).split("'")
        ),
    )


def _described() -> dict[str, object]:
    """What py-cpuinfo says, which has no types."""
    cpuinfo = importlib.import_module("cpuinfo")
    ask: Callable[[], dict[str, object]] = cpuinfo.get_cpu_info
    return ask()
