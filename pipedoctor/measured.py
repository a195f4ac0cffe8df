"""Measurements beside what was collected: each where the checks look for it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from pipedoctor.facts import BenchDisk, Cpu, DataSets, Fact, Facts, Host, Pipeline
from pipedoctor.units import many

NOTHING: Mapping[str, str] = MappingProxyType({})


def joined(
    facts: Facts, measured: Sequence[Fact], unmeasured: Mapping[str, str] = NOTHING
) -> Facts:
    """
    These facts and the measured ones, and why others could not be measured.

    What `bench disk` read takes the place of the short cold read of the same path,
    or stands beside the others, unless it was another machine. A pipeline that was
    measured on another machine says so: it is shown, and nothing is judged by it.
    """
    whole = facts.plus(*measured)
    there = {fact.section for fact in measured}
    whole.unknown |= {k: why for k, why in unmeasured.items() if k not in there}
    return _placed(_read(whole))


def elsewhere(host: Host | None, cpu: Cpu | None) -> str:
    """Where it was measured, if that is another machine for certain; else empty."""
    if host is None or cpu is None or host.same(cpu.model, cpu.logical):
        return ""
    model = host.model or "an unnamed processor"
    return f"it was measured on another machine: {model}, {many(host.cpus, 'CPU')}"


def _placed(whole: Facts) -> Facts:
    seen = whole.get(Pipeline)
    if seen is None:
        return whole
    where = elsewhere(seen.host, whole.get(Cpu))
    return whole.plus(replace(seen, elsewhere=where))


def _read(whole: Facts) -> Facts:
    found = whole.get(BenchDisk)
    if found is None or elsewhere(found.host, whole.get(Cpu)):
        return whole
    entry = found.dataset
    known = whole.get(DataSets) or DataSets()
    others = tuple(e for e in known.entries if e.path != entry.path)
    same = len(others) < len(known.entries)
    if same and entry.cold_read is None:
        return whole
    return whole.plus(DataSets(entries=(entry, *others)))
