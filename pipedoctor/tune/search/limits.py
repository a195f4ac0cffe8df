"""What bounds a setting on this machine, and which bound decides."""

import math
import os
from dataclasses import dataclass

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cpu import cpu
from pipedoctor.collect.system.limits import limits
from pipedoctor.collect.system.memory import memory
from pipedoctor.facts import Contents, Setting, UnreadableError
from pipedoctor.runtime import files
from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.tune.model.predict import Prediction
from pipedoctor.tune.search.ranks import assign_rank_cpus
from pipedoctor.units import format_size

_MAX_WORKERS, _MIN_WORKER_CAP, _WORKERS_PER_CPU = 64, 16, 4
_SPARE_FILES = 9
"""Beside those in steady state: 4W + 12 were needed at least when it was bisected."""
_FREE_SHARE = 0.9
"""Of what is free that a setting may take."""


@dataclass(frozen=True, kw_only=True)
class ResourceLimits:
    """What one rank may use; sizes in bytes, None = no limit is known."""

    cpus: float
    cpus_bound: str
    shm: int | None = None
    memory: int | None = None
    memory_bound: str = "machine"
    descriptors: int | None = None
    max_workers: int = _MIN_WORKER_CAP
    workers_bound: str = "4 workers per CPU"
    rank_cpus: frozenset[int] = frozenset()
    """CPUs that one of several ranks is kept on; none: it may use all."""
    unshared_reason: str = ""
    """Why it is not measured with the CPUs of one rank; empty: it is."""

    def find_broken_limit(
        self,
        setting: Setting,
        contents: Contents,
        memory_bytes: int,
        descriptors: int = 0,
    ) -> str:
        """Which limit this setting breaks, in words; empty: none."""
        shared = contents.shared_bytes
        shm = setting.compute_shm_bytes(shared)
        if setting.num_workers > self.max_workers:
            return self.workers_message
        if self.shm is not None and shm > self.shm:
            return f"/dev/shm: needs {format_size(shm)}, {format_size(self.shm)} available"
        whole = memory_bytes + shm
        if self.memory is not None and whole > self.memory:
            left = format_size(self.memory)
            return f"memory ({self.memory_bound}): needs {format_size(whole)}, {left} available"
        files = descriptors or setting.count_peak_descriptors(contents.objects)
        files += _SPARE_FILES
        if self.descriptors is not None and files > self.descriptors:
            return f"file descriptors: needs {files}, the limit is {self.descriptors}"
        return ""

    def explain_rejection(self, prediction: Prediction, contents: Contents) -> str:
        """Which limit a setting breaks that is predicted so; empty: none."""
        return self.find_broken_limit(
            prediction.setting,
            contents,
            prediction.final_memory_bytes,
            prediction.most_descriptors,
        )

    @property
    def workers_message(self) -> str:
        """``workers: at most 16 tried (4 workers per CPU)``."""
        most = f"at most {self.max_workers}" if self.max_workers else "none"
        return f"workers: {most} tried ({self.workers_bound})"

    @property
    def cpus_message(self) -> str:
        """``CPUs: 2 (cgroup quota)``."""
        return f"CPUs: {self.cpus:g} ({self.cpus_bound})"

    def to_record(self) -> dict[str, float | int | str | None]:
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


def read_limits(
    *, max_workers: int | None = None, memory_size: int | None = None, ranks: int = 1
) -> ResourceLimits:
    """
    Read what one rank may use; sizes in bytes.

    CPUs, memory and /dev/shm are divided among ranks; `memory_size` is of each.
    """
    machine = Machine()
    cpus, bound = _read_cpus(machine)
    own = assign_rank_cpus(machine, cpus, ranks)
    most, most_bound = _choose_max_workers(cpus / ranks)
    room, room_bound = _read_memory(machine)
    if memory_size is not None:
        room, room_bound = memory_size, "--memory"
    shm = _read_shm()
    return ResourceLimits(
        cpus=own.cpus,
        cpus_bound=f"{bound}, {ranks} ranks" if own.cpu_numbers else bound,
        shm=None if shm is None else int(shm * _FREE_SHARE / ranks),
        memory=None if room is None else int(room / (1 if memory_size else ranks)),
        memory_bound=room_bound,
        descriptors=_read_max_descriptors(machine),
        max_workers=max_workers if max_workers is not None else most,
        workers_bound="--max-workers" if max_workers is not None else most_bound,
        rank_cpus=own.cpu_numbers,
        unshared_reason=own.reason,
    )


def _read_cpus(machine: Machine) -> tuple[float, str]:
    seen = attempt(lambda: cpu(machine, lambda _: None))
    if isinstance(seen, Crash):
        return float(os.cpu_count() or 1), "machine"
    return min(seen.value.bounds.values()), seen.value.binding


def _choose_max_workers(cpus: float) -> tuple[int, str]:
    """How many are tried at most, and which term of the rule says so."""
    most = _WORKERS_PER_CPU * math.ceil(cpus)
    if most < _MIN_WORKER_CAP:
        return _MIN_WORKER_CAP, f"minimum of {_MIN_WORKER_CAP}"
    if most > _MAX_WORKERS:
        return _MAX_WORKERS, f"maximum of {_MAX_WORKERS}"
    return most, f"{_WORKERS_PER_CPU} workers per CPU"


def _read_memory(machine: Machine) -> tuple[int | None, str]:
    seen = attempt(lambda: memory(machine, lambda _: None))
    if isinstance(seen, Crash):
        return None, "machine"
    found, bound = int(seen.value.available * _FREE_SHARE), "machine"
    group = seen.value.group
    if group is not None:
        used = max(0, (group.used or 0) - (group.cache or 0))
        left = int((group.limit - used) * _FREE_SHARE)
        if left < found:
            found, bound = left, "control group"
    return found, bound


def _read_shm() -> int | None:
    try:
        size, _, available = files.measure_space("/dev/shm")
    except UnreadableError:
        return None
    return available if size else None


def _read_max_descriptors(machine: Machine) -> int | None:
    seen = attempt(lambda: limits(machine, lambda _: None))
    return None if isinstance(seen, Crash) else seen.value.nofile.soft
