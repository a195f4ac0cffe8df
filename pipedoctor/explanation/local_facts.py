"""Look at this machine, only as far as the causes in a log ask for it."""

import os
import time
from collections.abc import Iterable

import msgspec

from pipedoctor.check import Check
from pipedoctor.collect.devices.gpu import DRIVER_DEVICES
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.plan import CollectionRequest, collect_facts
from pipedoctor.collect.sections import (
    KERNEL_SECTIONS,
    SECTION_TABLE,
    SLOW_SECTIONS,
    ProbePlace,
    build_probe,
)
from pipedoctor.facts import SECTIONS, Facts, Gpu
from pipedoctor.runtime import lanes

DEADLINE = 6.0
"""Seconds for everything together."""
_FAST_SECTIONS = frozenset({*KERNEL_SECTIONS, "loader"})
_SLOW_SECTIONS = frozenset({"torch_import"})
"""Read only for checks that cannot do without: it takes seconds."""
_UNKNOWN_REASONS = {"loader": "the arguments of the job's DataLoader are unknown"}
_DETAILED_SECTIONS = frozenset(name for name, row in SECTION_TABLE.items() if row.detailed)
"""Sections whose collectors tell more where a log asks."""


def find_sections(checks: Iterable[Check[...]]) -> frozenset[str]:
    """What these checks look at, and where we are."""
    driven = any(map(os.path.exists, DRIVER_DEVICES))
    sections = {
        kind.section
        for check in checks
        for kind, required in check.needs.items()
        if kind.section not in _SLOW_SECTIONS or (required and _is_useful(check, has_driver=driven))
    }
    return frozenset(sections & SECTIONS.keys() | {"site"})


def _is_useful(check: Check[...], *, has_driver: bool) -> bool:
    """Would it say anything here? One that needs a GPU is silent without a driver."""
    return has_driver or not check.needs.get(Gpu, False)


def collect_sections(
    sections: frozenset[str],
    *,
    deadline: float = DEADLINE,
    inquiry: CollectionRequest | None = None,
) -> Facts:
    """
    Read the facts of these sections, and perhaps others, within `deadline`.

    `inquiry` tells of the job that died: its process, code, arguments and environment.
    """
    until = time.monotonic() + deadline
    if sections <= _FAST_SECTIONS and inquiry is None:
        return _collect_steady(sections - {"loader"}, until)
    also = sections.intersection(SLOW_SECTIONS)
    base = inquiry or CollectionRequest()
    request = msgspec.structs.replace(base, quick=True, extra_sections=also)
    facts = collect_facts(request, deadline=deadline)
    for section in sections & _DETAILED_SECTIONS:
        fact = _collect_steady(frozenset({section}), until).get(SECTIONS[section])
        facts = facts if fact is None else facts.merge(fact)
    return facts


def _collect_steady(sections: frozenset[str], until: float) -> Facts:
    if lanes.CAN_FORK:
        run_probes = lanes.run_in_processes
    else:
        from pipedoctor.runtime.threads import (  # noqa: PLC0415  (elsewhere)
            run_in_threads as run_probes,
        )
    machine = Machine()
    probes = [
        build_probe(section, machine, place=ProbePlace(detailed=True))
        for section in sorted(sections)
    ]
    outcomes = run_probes(probes, until=until)
    readable = [
        msgspec.convert(outcome.value, SECTIONS[name])
        for name, outcome in outcomes.items()
        if outcome.has_value
    ]
    unknown = {name: o.reason for name, o in outcomes.items() if not o.has_value}
    return Facts(*readable, unknown=_UNKNOWN_REASONS | unknown)
