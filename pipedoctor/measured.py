"""Measurements beside what was collected: each where the checks look for it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pipedoctor.facts import BenchDisk, Cpu, DataSets, Fact, Facts

NOTHING: Mapping[str, str] = MappingProxyType({})


def joined(
    facts: Facts, measured: Sequence[Fact], unmeasured: Mapping[str, str] = NOTHING
) -> Facts:
    """
    These facts and the measured ones, and why others could not be measured.

    What `bench disk` read takes the place of the short cold read of the same path,
    or stands beside the others, unless it was another machine.
    """
    whole = facts.plus(*measured)
    there = {fact.section for fact in measured}
    whole.unknown |= {k: why for k, why in unmeasured.items() if k not in there}
    found = whole.get(BenchDisk)
    if found is None:
        return whole
    cpu = whole.get(Cpu)
    if cpu is not None and not found.host.same(cpu.model, cpu.logical):
        return whole
    entry = found.dataset
    known = whole.get(DataSets) or DataSets()
    others = tuple(e for e in known.entries if e.path != entry.path)
    same = len(others) < len(known.entries)
    if same and entry.cold_read is None:
        return whole
    return whole.plus(DataSets(entries=(entry, *others)))
