"""The CPUs of one rank, where several share the machine."""

import math
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass

from pipedoctor.collect.cpu import members
from pipedoctor.collect.machine import Machine, read_or


@dataclass(frozen=True, kw_only=True)
class Share:
    """What one rank has; `why` says why that is not what is measured."""

    cpus: float
    """Those that are measured with."""
    kept_on: frozenset[int] = frozenset()
    """Their numbers; none: it may run on all."""
    why: str = ""


def share(machine: Machine, cpus: float, ranks: int) -> Share:
    """
    Whole CPUs for one of so many ranks, at least one, as launchers bind them.

    `cpus` are those of all ranks. Where the system keeps no process on some of its
    CPUs, all of them are measured with.
    """
    if ranks == 1:
        return Share(cpus=cpus)
    number = max(1, math.floor(cpus / ranks))
    try:
        own = frozenset(_by_core(machine, os.sched_getaffinity(0))[:number])
        with kept_on(own):
            pass
    except AttributeError:
        return _undivided(cpus, ranks, "this system has no affinity masks")
    except OSError as error:
        return _undivided(cpus, ranks, f"sched_setaffinity: {error.strerror or error}")
    few = f"{ranks} ranks share {cpus:g} CPUs: measured with a whole one for each"
    return Share(cpus=float(len(own)), kept_on=own, why=few if cpus < ranks else "")


def _undivided(cpus: float, ranks: int, reason: str) -> Share:
    why = f"{ranks} ranks: measured with all {cpus:g} CPUs, not with those of one"
    return Share(cpus=cpus, why=f"{why} ({reason})")


def _by_core(machine: Machine, cpus: Iterable[int]) -> list[int]:
    """With the threads of a core next to each other: a rank gets whole cores."""
    devices = machine.root / "sys/devices/system/cpu"

    def place(number: int) -> tuple[int, int]:
        topology = devices / f"cpu{number}/topology"
        siblings = members(read_or(topology / "thread_siblings_list"))
        return min(siblings, default=number), number

    return sorted(cpus, key=place)


@contextmanager
def kept_on(cpus: frozenset[int]) -> Generator[None, None, None]:
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
