"""What bounds a setting on this machine, and which bound decides."""

import math
import os
from dataclasses import dataclass

from pipedoctor.attempt import Crash, attempt
from pipedoctor.collect.cpu import cpu
from pipedoctor.collect.limits import limits
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.memory import memory
from pipedoctor.facts import Contents, Setting
from pipedoctor.units import human

_CAP, _LEAST_CAP, _PER_CPU = 64, 16, 4
_MORE_FILES = 9
"""Beside those in steady state: 4W + 12 were needed at least when it was bisected."""
_SHARE = 0.9
"""Of what is free that a setting may take."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Sizes in bytes; None = nobody says how much."""

    cpus: float
    cpus_bound: str
    shm: int | None = None
    memory: int | None = None
    memory_bound: str = "machine"
    descriptors: int | None = None
    max_workers: int = _LEAST_CAP
    workers_bound: str = "4 workers per CPU"

    def binding(
        self,
        setting: Setting,
        contents: Contents,
        memory_bytes: int,
        descriptors: int = 0,
    ) -> str:
        """Which limit this setting breaks, in words; empty: none."""
        shared = contents.shared_bytes
        shm = setting.shm_bytes(shared)
        if setting.num_workers > self.max_workers:
            return f"{self.workers_bound}: {self.max_workers} workers"
        if self.shm is not None and shm > self.shm:
            return f"/dev/shm: needs {human(shm)}, {human(self.shm)} are free"
        whole = memory_bytes + shm
        if self.memory is not None and whole > self.memory:
            left = human(self.memory)
            return f"memory ({self.memory_bound}): needs {human(whole)} of {left}"
        files = descriptors or setting.most_descriptors(contents.objects)
        files += _MORE_FILES
        if self.descriptors is not None and files > self.descriptors:
            return f"file descriptors: needs {files}, the limit is {self.descriptors}"
        return ""

    def told(self) -> dict[str, float | int | str | None]:
        """As the report has it."""
        return {
            "cpus": self.cpus,
            "cpus_bound": self.cpus_bound,
            "shm_bytes": self.shm,
            "memory_bytes": self.memory,
            "memory_bound": self.memory_bound,
            "descriptors": self.descriptors,
            "max_workers": self.max_workers,
            "max_workers_bound": self.workers_bound,
        }


def bounds(
    *, max_workers: int | None = None, memory_size: int | None = None, ranks: int = 1
) -> Bounds:
    """Read what this process may use, divided among ranks."""
    machine = Machine()
    cpus, bound = _cpus(machine)
    share = cpus / ranks
    own = max(_LEAST_CAP, min(_CAP, _PER_CPU * math.ceil(share)))
    room, room_bound = _memory(machine)
    if memory_size is not None:
        room, room_bound = memory_size, "--memory"
    shm = _shm()
    asked = max_workers is not None
    return Bounds(
        cpus=share,
        cpus_bound=bound if ranks == 1 else f"{bound}, {ranks} ranks",
        shm=None if shm is None else int(shm * _SHARE / ranks),
        memory=None if room is None else int(room / (1 if memory_size else ranks)),
        memory_bound=room_bound,
        descriptors=_descriptors(machine),
        max_workers=max_workers if max_workers is not None else own,
        workers_bound="--max-workers" if asked else "4 workers per CPU",
    )


def _cpus(machine: Machine) -> tuple[float, str]:
    seen = attempt(lambda: cpu(machine, lambda _: None))
    if isinstance(seen, Crash):
        return float(os.cpu_count() or 1), "machine"
    return min(seen.value.bounds.values()), seen.value.binding


def _memory(machine: Machine) -> tuple[int | None, str]:
    seen = attempt(lambda: memory(machine, lambda _: None))
    if isinstance(seen, Crash):
        return None, "machine"
    found, bound = int(seen.value.available * _SHARE), "machine"
    group = seen.value.group
    if group is not None:
        used = max(0, (group.used or 0) - (group.cache or 0))
        left = int((group.limit - used) * _SHARE)
        if left < found:
            found, bound = left, "control group"
    return found, bound


def _shm() -> int | None:
    try:
        seen = os.statvfs("/dev/shm")
    except OSError:
        return None
    return seen.f_bavail * seen.f_frsize if seen.f_blocks else None


def _descriptors(machine: Machine) -> int | None:
    seen = attempt(lambda: limits(machine, lambda _: None))
    return None if isinstance(seen, Crash) else seen.value.nofile.soft
