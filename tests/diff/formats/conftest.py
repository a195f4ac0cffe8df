"""Comparisons that every format shows."""

import pytest

from pipedoctor.diff.model import Diff
from pipedoctor.facts import Shm, TorchBuild, Variables
from tests.diff.compared_facts import JOB, MiB, packages
from tests.diff.conftest import Compare, changed, machine, recorded, side

HOSTILE = "a\x1b[31m|b`c\n<script>@all #1 [x](y) *z* \u202e\x9b \u200b[bold]red[/]{{ 7*7 }}"


@pytest.fixture
def ill(diff: Compare) -> Diff:
    """A machine whose /dev/shm is small and whose torch is another."""
    return diff(
        changed(JOB),
        changed(
            Shm(size=64 * MiB, remountable=True),
            TorchBuild(version="2.5.1", local="cu124", cuda="12.4"),
            packages(torch="2.5.1", torchvision="0.20.1", attrs="25.0.0"),
        ),
    )


@pytest.fixture
def hostile(diff: Compare) -> Diff:
    """Everything that a stranger may have chosen with care."""
    record = recorded(changed(Variables(values={"LD_PRELOAD": HOSTILE})))
    known = record["facts"]["known"]
    known["packages"]["entries"][0] |= {"name": HOSTILE, "version": HOSTILE}
    known[HOSTILE] = {HOSTILE: HOSTILE}
    other = recorded(machine())
    other["facts"]["known"][HOSTILE] = {HOSTILE: "x"}
    record["facts"]["unknown"] = {"gpu": HOSTILE}
    del known["gpu"]
    return diff(side(HOSTILE, record), side("b", other))
