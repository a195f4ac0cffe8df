"""Measurements beside what was collected: each where the checks look for it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from pipedoctor.facts import BenchDisk, Cpu, DataSets, Fact, Facts, Host, Pipeline
from pipedoctor.units import format_count

NO_REASONS: Mapping[str, str] = MappingProxyType({})


def merge_measurements(
    facts: Facts, measurements: Sequence[Fact], reasons: Mapping[str, str] = NO_REASONS
) -> Facts:
    """
    These facts and the measured ones, and why others could not be measured.

    What `bench disk` read takes the place of the short cold read of the same path,
    or stands beside the others, unless it was another machine. A pipeline that was
    measured on another machine says so: it is shown, and nothing is judged by it.
    """
    whole = facts.merge(*measurements)
    there = {fact.section for fact in measurements}
    whole.unknown |= {k: why for k, why in reasons.items() if k not in there}
    return _mark_other_machine(_merge_disk_benchmark(whole))


def describe_other_machine(host: Host | None, cpu: Cpu | None) -> str:
    """Where it was measured, if that is another machine for certain; else empty."""
    if host is None or cpu is None or host.is_same_machine(cpu.model, cpu.logical):
        return ""
    model = host.model or "an unnamed processor"
    return f"it was measured on another machine: {model}, {format_count(host.cpus, 'CPU')}"


def _mark_other_machine(whole: Facts) -> Facts:
    seen = whole.get(Pipeline)
    if seen is None:
        return whole
    where = describe_other_machine(seen.host, whole.get(Cpu))
    return whole.merge(replace(seen, elsewhere=where))


def _merge_disk_benchmark(whole: Facts) -> Facts:
    found = whole.get(BenchDisk)
    if found is None or describe_other_machine(found.host, whole.get(Cpu)):
        return whole
    entry = found.dataset
    known = whole.get(DataSets) or DataSets()
    others = tuple(e for e in known.entries if e.path != entry.path)
    same = len(others) < len(known.entries)
    if same and entry.cold_read is None:
        return whole
    return whole.merge(DataSets(entries=(entry, *others)))
