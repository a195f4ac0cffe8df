"""The CPUs of one rank, where several share the machine."""

import math
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.system.cpu import parse_cpu_list
from pipedoctor.units import format_count


@dataclass(frozen=True, kw_only=True)
class RankCpus:
    """What one rank has; `reason` says why that is not what is measured."""

    cpus: float
    """Those that are measured with."""
    cpu_numbers: frozenset[int] = frozenset()
    """Their numbers; none: it may run on all."""
    reason: str = ""


def assign_rank_cpus(machine: Machine, cpus: float, ranks: int) -> RankCpus:
    """
    Whole CPUs for one of so many ranks, at least one, as launchers bind them.

    `cpus` are those of all ranks. Where the system keeps no process on some of its
    CPUs, all of them are measured with.
    """
    if ranks == 1:
        return RankCpus(cpus=cpus)
    number = max(1, math.floor(cpus / ranks))
    try:
        own = frozenset(_order_by_core(machine, os.sched_getaffinity(0))[:number])
        with pin_to_cpus(own):
            pass
    except AttributeError:
        return _use_all_cpus(cpus, ranks, "CPU affinity is not supported on this system")
    except OSError as error:
        return _use_all_cpus(cpus, ranks, f"sched_setaffinity: {error.strerror or error}")
    few = f"{ranks} ranks share {format_count(cpus, 'CPU')}: measured with one full CPU per rank"
    return RankCpus(cpus=float(len(own)), cpu_numbers=own, reason=few if cpus < ranks else "")


def _use_all_cpus(cpus: float, ranks: int, reason: str) -> RankCpus:
    why = f"{ranks} ranks: measured with {format_count(cpus, 'CPU')} instead of one rank's share"
    return RankCpus(cpus=cpus, reason=f"{why} ({reason})")


def _order_by_core(machine: Machine, cpus: Iterable[int]) -> list[int]:
    """With the threads of a core next to each other: a rank gets whole cores."""
    devices = machine.root / "sys/devices/system/cpu"

    def place(number: int) -> tuple[int, int]:
        topology = devices / f"cpu{number}/topology"
        siblings = parse_cpu_list(read_or_default(topology / "thread_siblings_list"))
        return min(siblings, default=number), number

    return sorted(cpus, key=place)


@contextmanager
def pin_to_cpus(cpus: frozenset[int]) -> Generator[None, None, None]:
    """Let what is started in the body run on these CPUs alone; none named: on all."""
    if not cpus:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
