"""Sizes of /dev/shm: as users write them, and those that nobody wants."""

import mmap
import re
from dataclasses import dataclass

from pipedoctor.facts import Facts, Memory, Shm
from pipedoctor.fix.plan.current_value import SHM_PATH
from pipedoctor.fix.plan.plan import FixRefusedError
from pipedoctor.units import GiB, MiB, format_size, parse_size

_PERCENT = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})?)\s*%\s*")


@dataclass(frozen=True, kw_only=True)
class SizeArgument:
    """A size in bytes, or a share of the machine's memory."""

    size: int = 0
    share: float = 0.0

    def resolve_bytes(self, facts: Facts) -> int:
        """How much that is here, in whole pages."""
        size = self.size
        if self.share:
            memory = facts.get(Memory)
            if memory is None:
                why = facts.get_unknown_reason(Memory)
                message = f"a percentage requires a known memory size ({why})"
                raise FixRefusedError(message, "give a size instead: --shm 5G")
            size = int(memory.total * self.share)
        return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


def parse_size_argument(text: str) -> SizeArgument:
    """Read ``5G``, ``5GiB``, ``512m`` or ``50%``; raises ValueError."""
    if match := _PERCENT.fullmatch(text):
        return SizeArgument(share=float(match[1]) / 100)
    if text.strip().endswith("%"):
        message = f"{text!r} is not a percentage of memory: write 50%"
        raise ValueError(message)
    return SizeArgument(size=parse_size(text))


def refuse_size(facts: Facts, size: int, *, force: bool) -> None:
    """Refused when nobody wants this size here, with the number that would do."""
    shm = facts.get(Shm)
    used = shm.used if shm else 0
    if not size:
        ceiling = _get_memory_limit(facts)
        best = f", at most {format_size_argument(ceiling)}" if ceiling else ""
        message = (
            f"a size of 0 would remove the limit of {SHM_PATH}: give a size of "
            f"at least {format_size_argument(max(used, MiB), round_up=True)}{best}"
        )
        raise FixRefusedError(message)
    if size < MiB:
        message = (
            f"{format_size(size)} cannot hold a batch; is the unit missing, as in --shm 5G? "
            f"At least {format_size_argument(max(used, MiB), round_up=True)} would work"
        )
        raise FixRefusedError(message)
    if size < used:
        message = (
            f"{format_size(used)} are in use in {SHM_PATH} now, more than {format_size(size)}: "
            f"--shm {format_size_argument(used, round_up=True)} would work"
        )
        raise FixRefusedError(message)
    if not force:
        _refuse_beyond_memory(facts, size)


def _refuse_beyond_memory(facts: Facts, size: int) -> None:
    memory = facts.get(Memory)
    if memory is None:
        why = facts.get_unknown_reason(Memory)
        message = f"the amount of memory is unknown ({why}): --force proceeds anyway"
        raise FixRefusedError(message)
    for limit, what in _list_memory_limits(memory):
        if size > limit:
            best = format_size_argument(_get_memory_limit(facts) or limit)
            message = (
                f"{format_size(size)} exceeds {what}: --shm {best} would work (or use --force)"
            )
            raise FixRefusedError(message)


def _list_memory_limits(memory: Memory) -> list[tuple[int, str]]:
    limits = [(memory.total, f"this machine's {format_size(memory.total)} of memory")]
    if memory.group is not None:
        limit = memory.group.limit
        limits.append((limit, f"the {format_size(limit)} limit of its cgroup"))
    return limits


def _get_memory_limit(facts: Facts) -> int | None:
    memory = facts.get(Memory)
    return memory.limit if memory else None


def format_size_argument(size: int, *, round_up: bool = False) -> str:
    """A size to type: whole GiB or MiB, not above `size`, or not below it."""
    for unit, letter in ((GiB, "G"), (MiB, "M")):
        count = -(-size // unit) if round_up else size // unit
        if count and (unit == MiB or abs(count * unit - size) * 20 < size):
            return f"{count}{letter}"
    return str(size)
