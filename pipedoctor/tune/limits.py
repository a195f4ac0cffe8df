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
from pipedoctor.tune.predict import Prediction
from pipedoctor.tune.ranks import share
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
    rank: frozenset[int] = frozenset()
    """CPUs that one of several ranks is kept on; none: it may use all."""
    unshared: str = ""
    """Why it is not measured with the CPUs of one rank; empty: it is."""

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
            return self.enough
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

    def forbids(self, guess: Prediction, contents: Contents) -> str:
        """Which limit a setting breaks that is predicted so; empty: none."""
        return self.binding(
            guess.setting, contents, guess.lasting_bytes, guess.most_descriptors
        )

    @property
    def enough(self) -> str:
        """``workers: no more than 16 are tried (4 workers per CPU)``."""
        most = f"no more than {self.max_workers} are" if self.max_workers else "none is"
        return f"workers: {most} tried ({self.workers_bound})"

    @property
    def processors(self) -> str:
        """``CPUs: 2 (cgroup quota)``."""
        return f"CPUs: {self.cpus:g} ({self.cpus_bound})"

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
    """
    Read what one rank may use; sizes in bytes.

    CPUs, memory and /dev/shm are divided among ranks; `memory_size` is of each.
    """
    machine = Machine()
    cpus, bound = _cpus(machine)
    own = share(machine, cpus, ranks)
    most, most_bound = _workers(cpus / ranks)
    room, room_bound = _memory(machine)
    if memory_size is not None:
        room, room_bound = memory_size, "--memory"
    shm = _shm()
    return Bounds(
        cpus=own.cpus,
        cpus_bound=f"{bound}, {ranks} ranks" if own.kept_on else bound,
        shm=None if shm is None else int(shm * _SHARE / ranks),
        memory=None if room is None else int(room / (1 if memory_size else ranks)),
        memory_bound=room_bound,
        descriptors=_descriptors(machine),
        max_workers=max_workers if max_workers is not None else most,
        workers_bound="--max-workers" if max_workers is not None else most_bound,
        rank=own.kept_on,
        unshared=own.why,
    )


def _cpus(machine: Machine) -> tuple[float, str]:
    seen = attempt(lambda: cpu(machine, lambda _: None))
    if isinstance(seen, Crash):
        return float(os.cpu_count() or 1), "machine"
    return min(seen.value.bounds.values()), seen.value.binding


def _workers(cpus: float) -> tuple[int, str]:
    """How many are tried at most, and which term of the rule says so."""
    most = _PER_CPU * math.ceil(cpus)
    if most < _LEAST_CAP:
        return _LEAST_CAP, f"{_LEAST_CAP} at least, however few CPUs"
    if most > _CAP:
        return _CAP, f"{_CAP} at most, however many CPUs"
    return most, f"{_PER_CPU} workers per CPU"


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
