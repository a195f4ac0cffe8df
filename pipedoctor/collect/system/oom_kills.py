"""How many processes the kernel has ended for want of memory: on the machine, or in its group."""

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cgroups import list_cgroups
from pipedoctor.collect.system.memory import read_counters
from pipedoctor.facts import UnreadableError


def count_oom_kills(machine: Machine) -> int | None:
    """
    Count them since the machine started, limits of control groups included.

    None: the kernel tells neither its own count (since 4.13) nor that of the group.
    """
    kills = read_counters(machine.proc / "vmstat").get("oom_kill")
    if kills is not None:
        return kills
    try:
        groups = list_cgroups(machine, "memory")
    except UnreadableError:
        return None
    counts = [
        read_counters(group / name).get("oom_kill")
        for group in groups
        for name in ("memory.events", "memory.oom_control")
    ]
    known = [count for count in counts if count is not None]
    return max(known) if known else None
