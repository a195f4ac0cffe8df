"""How workers of a file start: as its own program says, else as the platform does."""

import pytest

from pipedoctor.check import Check, Severity
from pipedoctor.facts import Interpreter, Site
from pipedoctor.facts.code_events.program import StartMethodCall
from pipedoctor.facts.source import Event, Source, Spot
from pipedoctor_checks._shared.start_method import find_start_method
from pipedoctor_checks.workers.main_guard import main_guard
from pipedoctor_checks.workers.unpicklable_callable import unpicklable_callable
from tests.checks.code_samples import TOP_LEVEL_LOOP, find, rows_dataset


def setting(path: str, method: str, *, guarded: bool = False) -> Event[StartMethodCall]:
    details = StartMethodCall(method=method, at_import=not guarded, guarded=guarded)
    at = Spot(path=path, line=1)
    return Event(kind=details.kind, at=at, recorded=details.to_record())


@pytest.mark.parametrize(
    ("events", "method"),
    [
        pytest.param((setting("a/x.py", "spawn"),), "spawn", id="its own folder"),
        pytest.param((setting("b/x.py", "spawn"),), "fork", id="another program"),
        pytest.param((setting("a/x.py", "spawn", guarded=True),), "fork", id="another script"),
        pytest.param((setting("a/train.py", "spawn", guarded=True),), "spawn", id="this script"),
        pytest.param((setting("a/x.py", "fork"),), "fork", id="as it is anyway"),
        pytest.param(
            (setting("a/x.py", "fork"), setting("a/y.py", "forkserver")),
            "forkserver",
            id="the one that differs",
        ),
    ],
)
def test_what_is_set(events: tuple[Event[StartMethodCall], ...], method: str) -> None:
    source = Source(events=events)
    here = Interpreter(version="3.11.7")

    assert find_start_method(source, "a/train.py", here, Site(system="linux"))[0] == method


@pytest.mark.parametrize(
    ("version", "system", "method"),
    [("3.11.7", "linux", "fork"), ("3.14.0", "linux", "forkserver"), ("3.11.7", "darwin", "spawn")],
)
def test_what_the_platform_does(version: str, system: str, method: str) -> None:
    here = Interpreter(version=version)

    assert find_start_method(Source(), "x.py", here, Site(system=system))[0] == method


@pytest.mark.parametrize(
    ("version", "severity"), [("3.13.9", Severity.NOTE), ("3.14.0", Severity.BREAKS)]
)
@pytest.mark.parametrize("check", [unpicklable_callable, main_guard])
def test_what_forks_allow_breaks_from_python_3_14_on(
    check: Check[...], version: str, severity: Severity
) -> None:
    code = rows_dataset(more=", collate_fn=lambda x: x") + TOP_LEVEL_LOOP

    found = find(check, code, Interpreter(version=version))

    assert {finding.severity for finding in found} == {severity}
