"""PDR848 names what LD_PRELOAD asks for in vain."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.shared_libraries.libraries import libraries
from pipedoctor.facts import Facts, Libraries, Library, Site, Variables
from pipedoctor_checks.libraries.preloaded_library_missing import (
    preloaded_library_missing,
)

SITE = Site(system="linux")


def gone(name: str, by: str = "LD_PRELOAD") -> Library:
    return Library(soname=name, path="", wanted_by="/usr/bin/python", found_by=by)


def judge(*missing: Library, value: str = "") -> list[Finding]:
    variables = Variables(values={"LD_PRELOAD": value})
    return preloaded_library_missing(Libraries(missing=missing), variables, SITE)


@pytest.mark.parametrize(
    "missing",
    [
        pytest.param((), id="nothing is missing"),
        pytest.param((gone("libGL.so.1", by=""),), id="missed by another library"),
    ],
)
def test_silent(missing: tuple[Library, ...]) -> None:
    assert judge(*missing) == []


def test_an_allocator_that_is_not_there(snapshot: SnapshotAssertion) -> None:
    value = "libtcmalloc.so.4 /opt/lib/libown.so"

    (finding,) = judge(gone("libtcmalloc.so.4"), value=value)

    assert finding.severity is Severity.SLOWS
    assert finding.summary == (
        "LD_PRELOAD names libtcmalloc.so.4, which cannot be found: the job runs without it"
    )
    assert finding.evidence == {"missing": ["libtcmalloc.so.4"], "LD_PRELOAD": value}
    assert finding.remedies[0].title == snapshot
    assert finding.remedies[0].snippet == "export LD_PRELOAD=/opt/lib/libown.so"


def test_something_else_is_a_note() -> None:
    (finding,) = judge(gone("libown.so"), value="libown.so")

    assert finding.severity is Severity.NOTE
    assert finding.remedies[0].snippet == "unset LD_PRELOAD"


def test_the_value_need_not_be_known() -> None:
    (finding,) = preloaded_library_missing(Libraries(missing=(gone("libown.so"),)), None, None)

    assert finding.evidence["LD_PRELOAD"] == ""


def test_a_record_gives_the_same_finding() -> None:
    here = Libraries(missing=(gone("libown.so"),))
    again = Facts.from_record(Facts(here).to_record()).get(Libraries)

    assert again is not None
    assert preloaded_library_missing(again, None, SITE) == preloaded_library_missing(
        here, None, SITE
    )


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's linker")
def test_the_linker_agrees(tmp_path: Path, shared_object: Callable[..., Path]) -> None:
    """ld.so complains of the same names; without them it is quiet."""
    there = shared_object(tmp_path / "libthere.so")
    value = f"{there} libabsent-pd.so {tmp_path}/nowhere.so"
    environ = {**os.environ, "LD_PRELOAD": value}

    found = libraries(Machine(environ=environ), EnvironmentChoice(python=sys.executable), print)
    (finding,) = preloaded_library_missing(found, None, SITE)

    names = ["libabsent-pd.so", f"{tmp_path}/nowhere.so"]
    assert finding.evidence["missing"] == names
    (finding,) = judge(*map(gone, names), value=value)
    cured = finding.remedies[0].snippet.removeprefix("export LD_PRELOAD=")
    assert complaints(environ) == names
    assert complaints(environ | {"LD_PRELOAD": cured}) == []


def complaints(environ: dict[str, str]) -> list[str]:
    done = subprocess.run([sys.executable, "-c", ""], env=environ, capture_output=True, check=True)
    lines = done.stderr.decode().splitlines()
    return [line.split("'")[1] for line in lines if "cannot be preloaded" in line]
