"""How workers of a file start: as its own program says, else as the platform does."""

import pytest

from pipedoctor.facts import Interpreter, Site
from pipedoctor.facts.source import Event, Source, Spot
from pipedoctor_checks._start import start_method


def setting(path: str, method: str, *, guarded: bool = False) -> Event:
    at = Spot(path=path, line=1)
    details: dict[str, bool | int | float | str | None] = {
        "method": method,
        "guarded": guarded,
    }
    return Event(kind="start-method", at=at, details=details)


@pytest.mark.parametrize(
    ("events", "method"),
    [
        pytest.param((setting("a/x.py", "spawn"),), "spawn", id="its own folder"),
        pytest.param((setting("b/x.py", "spawn"),), "fork", id="another program"),
        pytest.param(
            (setting("a/x.py", "spawn", guarded=True),), "fork", id="another script"
        ),
        pytest.param(
            (setting("a/train.py", "spawn", guarded=True),), "spawn", id="this script"
        ),
        pytest.param((setting("a/x.py", "fork"),), "fork", id="as it is anyway"),
        pytest.param(
            (setting("a/x.py", "fork"), setting("a/y.py", "forkserver")),
            "forkserver",
            id="the one that differs",
        ),
    ],
)
def test_what_is_set(events: tuple[Event, ...], method: str) -> None:
    source = Source(events=events)
    here = Interpreter(version="3.11.7")

    assert start_method(source, "a/train.py", here, Site(system="linux"))[0] == method


@pytest.mark.parametrize(
    ("version", "system", "method"),
    [
        ("3.11.7", "linux", "fork"),
        ("3.14.0", "linux", "forkserver"),
        ("3.11.7", "darwin", "spawn"),
    ],
)
def test_what_the_platform_does(version: str, system: str, method: str) -> None:
    here = Interpreter(version=version)

    assert start_method(Source(), "x.py", here, Site(system=system))[0] == method
