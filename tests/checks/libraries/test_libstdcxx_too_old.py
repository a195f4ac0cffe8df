"""PDR844 compares versions of symbols, or repeats what the import said."""

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
from pipedoctor.facts import (
    Facts,
    Interpreter,
    Libraries,
    Site,
    TorchImport,
    Unmet,
    Variables,
)
from pipedoctor_checks.libraries.libstdcxx_too_old import libstdcxx_too_old

BARE, DOCKER = Site(system="linux"), Site(system="linux", container="docker")
SYSTEM = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"


def unmet(
    *versions: str, library: str = "libstdc++.so.6", by: str = "cache", who: str = "a"
) -> Unmet:
    return Unmet(
        wanted_by=who,
        library=library,
        path="/old/libstdc++.so.6" if by == "LD_LIBRARY_PATH" else SYSTEM,
        found_by=by,
        versions=versions,
        newest="GLIBCXX_3.4.28",
    )


def judge(*missing: Unmet, kind: str = "venv", site: Site = BARE, said: str = "") -> list[Finding]:
    return libstdcxx_too_old(
        Libraries(unmet=missing),
        TorchImport(ok=not said, error=said),
        Interpreter(kind=kind, prefix="/env"),
        Variables(values={"LD_LIBRARY_PATH": "/old:/other"}),
        site,
    )


@pytest.mark.parametrize(
    "missing",
    [
        pytest.param((), id="all there"),
        pytest.param((unmet("GLIBC_2.38", library="libc.so.6"),), id="of the C library"),
    ],
)
def test_silent(missing: tuple[Unmet, ...]) -> None:
    assert judge(*missing) == []


def test_the_systems_is_too_old(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(
        unmet("GLIBCXX_3.4.29", who="numpy/x.so"),
        unmet("GLIBCXX_3.4.29", "GLIBCXX_3.4.30", who="torch/lib/libtorch_cpu.so"),
    )

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "torch/lib/libtorch_cpu.so needs GLIBCXX_3.4.30, but the libstdc++ from "
        "the system's library cache ends at GLIBCXX_3.4.28"
    )
    assert finding.evidence["unmet"]["numpy/x.so"] == ["GLIBCXX_3.4.29"]
    assert [r.title for r in finding.remedies] == snapshot


def test_the_variable_puts_an_old_one_first(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(unmet("GLIBCXX_3.4.30", by="LD_LIBRARY_PATH"))

    assert finding.remedies[0].title == snapshot
    assert finding.remedies[0].snippet == "export LD_LIBRARY_PATH=/other"
    assert len(finding.remedies) == 2


def test_conda_has_its_own() -> None:
    (finding,) = judge(unmet("CXXABI_1.3.15"), kind="conda")

    assert finding.remedies[0].shell == (
        "conda install --prefix /env --channel conda-forge 'libstdcxx-ng>=14'"
    )
    assert finding.remedies[0].advice


def test_a_container_gets_another_image(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(unmet("GLIBCXX_3.4.30"), site=DOCKER)

    assert [r.title for r in finding.remedies] == snapshot


def test_the_import_said_so(snapshot: SnapshotAssertion) -> None:
    said = (
        "ImportError: /lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found "
        "(required by /env/x.so)"
    )

    (finding,) = judge(said=said)

    assert finding.summary == snapshot
    assert finding.evidence["said"] == said
    outcome = TorchImport(ok=False, error=said)
    assert len(libstdcxx_too_old(None, outcome, None, None, None)) == 1


def test_unknown_is_not_health() -> None:
    reason = "libraries: not collected"

    assert libstdcxx_too_old.run(Facts()).skipped == reason
    assert libstdcxx_too_old.run(Facts(TorchImport(ok=True))).skipped == reason


OLD = "int old_one(void) { return 1; }"
NEW = OLD + " int new_one(void) { return 2; }"
OLD_NODES = "GLIBCXX_3.4.9 { global: old_one; local: *; };"
NEW_NODES = OLD_NODES + " GLIBCXX_3.4.99 { global: new_one; } GLIBCXX_3.4.9;"
USER = "int new_one(void); int use(void) { return new_one(); }"


def test_it_really_fails_and_the_remedy_cures(
    tmp_path: Path, site_packages: Path, shared_object: Callable[..., Path]
) -> None:
    env = tmp_path / "env"
    own = shared_object(env / "lib/libstdc++.so.6", source=NEW, script=NEW_NODES)
    user = shared_object(
        site_packages / "torch/lib/libtorch_global_deps.so",
        own,
        source=USER,
        paths="$ORIGIN/../../../..",
    )
    old = shared_object(tmp_path / "old/libstdc++.so.6", source=OLD, script=OLD_NODES)
    ill = os.environ | {"LD_LIBRARY_PATH": str(old.parent)}
    well = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}

    assert _loads(user, well) == ""
    assert "version `GLIBCXX_3.4.99' not found" in _loads(user, ill)
    assert _findings(env, well) == []
    (finding,) = _findings(env, ill)
    assert finding.remedies[0].snippet == "unset LD_LIBRARY_PATH"


def _loads(library: Path, environ: dict[str, str]) -> str:
    argv = [sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(library)!r})"]
    return subprocess.run(argv, env=environ, check=False, capture_output=True, text=True).stderr


def _findings(env: Path, environ: dict[str, str]) -> list[Finding]:
    seen = libraries(Machine(environ=environ), EnvironmentChoice(env=str(env)), lambda _: None)
    value = environ.get("LD_LIBRARY_PATH", "")
    variables = Variables(values={"LD_LIBRARY_PATH": value})
    return libstdcxx_too_old(seen, None, None, variables, BARE)
