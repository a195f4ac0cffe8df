"""Look at some sections of this machine again, here and now."""

import importlib

from pipedoctor.attempt import Crash, attempt
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Fact, Facts, Unreadable


def look(machine: Machine, *sections: str) -> Facts:
    """Collect sections that come from /proc, /sys and a tmpfs, so cannot hang."""
    known: list[Fact] = []
    unknown: dict[str, str] = {}
    for section in sections:
        done = attempt(lambda section=section: _read(machine, section))  # type: ignore[misc]
        if isinstance(done, Crash):
            unknown[section] = f"crashed: {done.reason}"
        elif isinstance(done.value, str):
            unknown[section] = done.value
        else:
            known.append(done.value)
    return Facts(*known, unknown=unknown)


def _announce(_doing: str) -> None:
    """Nobody waits for these sections."""


def _read(machine: Machine, section: str) -> Fact | str:
    """The section, or why it cannot be read."""
    module = importlib.import_module(f"pipedoctor.collect.{section}")
    try:
        fact: Fact = getattr(module, section)(machine, _announce)
    except Unreadable as reason:
        return str(reason) or "unreadable"
    return fact
