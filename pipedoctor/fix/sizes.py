"""Sizes of /dev/shm: as users write them, and those that nobody wants."""

import mmap
import re
from dataclasses import dataclass

from pipedoctor.facts import Facts, Memory, Shm
from pipedoctor.fix.gauge import SHM
from pipedoctor.fix.plan import Refused
from pipedoctor.units import GiB, MiB, human, parse_size

_PERCENT = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})?)\s*%\s*")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A size in bytes, or a share of the machine's memory."""

    size: int = 0
    share: float = 0.0

    def bytes(self, facts: Facts) -> int:
        """How much that is here, in whole pages."""
        size = self.size
        if self.share:
            memory = facts.get(Memory)
            if memory is None:
                why = facts.why_unknown(Memory)
                message = f"a share of an unknown memory cannot be had ({why})"
                raise Refused(message, "give a size instead: --shm 5G")
            size = int(memory.total * self.share)
        return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


def asked(text: str) -> Asked:
    """Read ``5G``, ``5GiB``, ``512m`` or ``50%``; raises ValueError."""
    if match := _PERCENT.fullmatch(text):
        return Asked(share=float(match[1]) / 100)
    if text.strip().endswith("%"):
        message = f"{text!r} is not a share of the memory: write 50%"
        raise ValueError(message)
    return Asked(size=parse_size(text))


def refuse_size(facts: Facts, size: int, *, force: bool) -> None:
    """Refused when nobody wants this size here, with the number that would do."""
    shm = facts.get(Shm)
    used = shm.used if shm else 0
    if not size:
        ceiling = _ceiling(facts)
        best = f", at most {as_typed(ceiling)}" if ceiling else ""
        message = (
            f"a size of 0 would lift the limit of {SHM} altogether: give a size of "
            f"at least {as_typed(max(used, MiB), up=True)}{best}"
        )
        raise Refused(message)
    if size < MiB:
        message = (
            f"{human(size)} hold no batch at all; with its unit, as in --shm 5G? "
            f"At least {as_typed(max(used, MiB), up=True)} would do"
        )
        raise Refused(message)
    if size < used:
        message = (
            f"{human(used)} are in use in {SHM} now, more than {human(size)}: "
            f"--shm {as_typed(used, up=True)} would do"
        )
        raise Refused(message)
    if not force:
        _refuse_memory(facts, size)


def _refuse_memory(facts: Facts, size: int) -> None:
    memory = facts.get(Memory)
    if memory is None:
        why = facts.why_unknown(Memory)
        message = f"how much memory there is, is not known ({why}): --force goes ahead"
        raise Refused(message)
    for limit, what in _limits(memory):
        if size > limit:
            best = as_typed(_ceiling(facts) or limit)
            message = (
                f"{human(size)} are more than {what}: --shm {best} would do "
                "(--force insists)"
            )
            raise Refused(message)


def _limits(memory: Memory) -> list[tuple[int, str]]:
    limits = [(memory.total, f"this machine's {human(memory.total)} of memory")]
    if memory.group is not None:
        limit = memory.group.limit
        limits.append((limit, f"the {human(limit)} that its control group may use"))
    return limits


def _ceiling(facts: Facts) -> int | None:
    memory = facts.get(Memory)
    return memory.limit if memory else None


def as_typed(size: int, *, up: bool = False) -> str:
    """A size to type: whole GiB or MiB, not above `size`, or not below it."""
    for unit, letter in ((GiB, "G"), (MiB, "M")):
        count = -(-size // unit) if up else size // unit
        if count and (unit == MiB or abs(count * unit - size) * 20 < size):
            return f"{count}{letter}"
    return str(size)
