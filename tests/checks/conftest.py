"""Control groups to make a process ill in: made, handed out, taken away again."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cgroups import list_cgroups
from pipedoctor.facts import UnreadableError

MakeGroup = Callable[[str], Path]


@pytest.fixture
def control_group() -> Iterator[MakeGroup]:
    """Make a group that has this controller, or skip: why."""
    made: list[Path] = []

    def make(controller: str) -> Path:
        try:
            top = list_cgroups(Machine(), controller)[-1]
            group = top / f"pipedoctor-test-{os.getpid()}-{len(made)}"
            group.mkdir()
        except (OSError, UnreadableError) as reason:
            pytest.skip(f"no control group can be made here: {reason}")
        made.append(group)
        if not list(group.glob(f"{controller}.*")):
            pytest.skip(f"groups below {top} have no {controller} controller")
        return group

    yield make
    for group in made:
        group.rmdir()
