"""Look at this machine, only as far as the causes in a log ask for it."""

import importlib
import os
import time
from collections.abc import Callable, Iterable

import msgspec

from pipedoctor.check import Check
from pipedoctor.collect import lanes
from pipedoctor.collect.lanes import Announce, Probe
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.plain import plain
from pipedoctor.collect.plan import DRIVERS, NOT_QUICK, STEADY, Inquiry, collect
from pipedoctor.facts import SECTIONS, Fact, Facts, Gpu

DEADLINE = 6.0
"""Seconds for everything together."""
_LIGHT = frozenset({*STEADY, "loader"})
_COSTLY = frozenset({"torch_import"})
"""Read only for checks that cannot do without: it takes seconds."""
_UNTOLD = {"loader": "the arguments of the job's DataLoader are not known"}
_WHOLE = {"ports": "listening"}
"""Collectors that tell more where a log asks, by what they read otherwise."""


def sections(checks: Iterable[Check[...]]) -> frozenset[str]:
    """What these checks look at, and where we are."""
    driven = any(map(os.path.exists, DRIVERS))
    wanted = {
        kind.section
        for check in checks
        for kind, required in check.needs.items()
        if kind.section not in _COSTLY or (required and _tells(check, driven=driven))
    }
    return frozenset(wanted & SECTIONS.keys() | {"site"})


def _tells(check: Check[...], *, driven: bool) -> bool:
    """Would it say anything here? One that needs a GPU is silent without a driver."""
    return driven or not check.needs.get(Gpu, False)


def look(wanted: frozenset[str], *, deadline: float = DEADLINE) -> Facts:
    """The facts of these sections, and perhaps others; answers within `deadline`."""
    until = time.monotonic() + deadline
    if wanted <= _LIGHT:
        return _steady(wanted - {"loader"}, until)
    also = wanted.intersection(NOT_QUICK)
    facts = collect(Inquiry(quick=True, also=also), deadline=deadline)
    for section in wanted & _WHOLE.keys():
        fact = _steady(frozenset({section}), until).get(SECTIONS[section])
        facts = facts if fact is None else facts.plus(fact)
    return facts


def _steady(wanted: frozenset[str], until: float) -> Facts:
    if lanes.CAN_FORK:
        run = lanes.run
    else:
        from pipedoctor.collect.unforked import run  # noqa: PLC0415  (elsewhere)
    machine = Machine()
    probes = [
        Probe(name=section, work=_work(section, machine), steady=True)
        for section in sorted(wanted)
    ]
    outcomes = run(probes, until=until)
    known = [
        msgspec.convert(outcome.value, SECTIONS[name])
        for name, outcome in outcomes.items()
        if outcome.known
    ]
    unknown = {name: o.reason for name, o in outcomes.items() if not o.known}
    return Facts(*known, unknown=_UNTOLD | unknown)


def _work(section: str, machine: Machine) -> Callable[[Announce], object]:
    def work(announce: Announce) -> object:
        collector = importlib.import_module(f"pipedoctor.collect.{section}")
        read = getattr(collector, _WHOLE.get(section, section))
        fact: Fact = read(machine, announce)
        return plain(fact)

    return work
