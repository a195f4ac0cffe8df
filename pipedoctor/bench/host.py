"""The machine that is measured, for the record."""

import datetime as dt
import platform
from contextlib import suppress

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cpu import cpu
from pipedoctor.collect.system.memory import memory
from pipedoctor.facts import UnreadableError
from pipedoctor.facts.bench import Host


def read_host(machine: Machine, python: str = "") -> Host:
    """Processor, memory and kernel; `python` is the version that did the work."""
    seen = cpu(machine, lambda _: None)
    total = None
    with suppress(UnreadableError):
        total = memory(machine, lambda _: None).total
    return Host(
        model=seen.model,
        cpus=seen.logical,
        effective=seen.effective,
        memory=total,
        release=platform.release(),
        python=python or platform.python_version(),
        created=dt.datetime.now(tz=dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
