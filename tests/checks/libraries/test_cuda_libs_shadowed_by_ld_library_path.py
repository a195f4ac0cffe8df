"""PDR813 follows the linker: only what it really passes over is a finding."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.shared_libraries.libraries import libraries
from pipedoctor.facts import Facts, Libraries, Library, Site, Variables
from pipedoctor_checks.libraries.cuda_libs_shadowed_by_ld_library_path import (
    cuda_libs_shadowed_by_ld_library_path as shadowed,
)

SITE = Site(system="linux")
LINK = "libnvJitLink.so.12"
SPARSE = "nvidia/cusparse/lib/libcusparse.so.12"


def own(version: str = "12.4.127", soname: str = LINK, *, chosen: bool = False) -> Library:
    return Library(
        soname=soname,
        path=f"/env/nvidia/nvjitlink/lib/{soname}",
        version=version,
        found_by="DT_RUNPATH",
        wanted_by=SPARSE,
        bundled=True,
        chosen=chosen,
    )


def other(version: str = "12.1.105", by: str = "LD_LIBRARY_PATH", soname: str = LINK) -> Library:
    return Library(
        soname=soname,
        path=f"/usr/local/cuda/lib64/{soname}",
        version=version,
        found_by=by,
        wanted_by=SPARSE,
        chosen=True,
    )


def judge(*entries: Library, path: str = "/usr/local/cuda/lib64") -> list[Finding]:
    variables = Variables(values={"LD_LIBRARY_PATH": path})
    return shadowed(Libraries(entries=entries), variables, SITE)


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param((), id="no CUDA at all"),
        pytest.param((own(chosen=True),), id="its own is taken"),
        pytest.param((other(),), id="the only CUDA there is"),
        pytest.param((other("12.4.127"), own()), id="the same version"),
        pytest.param((other(by="cache"), own()), id="taken from the cache"),
        pytest.param(
            (other(soname="libcudnn.so.9"), own(soname="libcudnn.so.9")),
            id="cuDNN has its own check",
        ),
        pytest.param((other(), own(soname="libcublas.so.12")), id="another library"),
    ],
)
def test_silent(entries: tuple[Library, ...]) -> None:
    assert judge(*entries) == []


def test_an_older_one_is_taken(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(other(), own(), path="/opt/lib:/usr/local/cuda/lib64")

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "libnvJitLink.so.12 12.1.105 comes from LD_LIBRARY_PATH, before "
        "libnvJitLink.so.12 12.4.127 of the environment"
    )
    assert finding.evidence == {
        "taken": {SPARSE: "/usr/local/cuda/lib64/libnvJitLink.so.12"},
        "passed_over": ["/env/nvidia/nvjitlink/lib/libnvJitLink.so.12"],
    }
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert remedy.snippet == "export LD_LIBRARY_PATH=/opt/lib"
    assert remedy.advice


def test_nothing_else_in_the_variable() -> None:
    (finding,) = judge(other(), own())

    assert finding.remedies[0].snippet == "unset LD_LIBRARY_PATH"


def test_a_newer_one_is_a_note() -> None:
    (finding,) = judge(other("12.8.93"), own())

    assert finding.severity is Severity.NOTE


@pytest.mark.parametrize(("taken", "bundled"), [("", "12.4"), ("12.1", ""), ("", "")])
def test_versions_that_nobody_knows(taken: str, bundled: str) -> None:
    (finding,) = judge(other(taken), own(bundled))

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.POSSIBLE


def test_the_older_of_several_is_named(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(
        other("12.8.93"),
        own(),
        other("12.1", soname="libcublas.so.12"),
        own("12.4", soname="libcublas.so.12"),
    )

    assert finding.severity is Severity.RISKS
    assert finding.summary == snapshot


def test_variables_that_nobody_read() -> None:
    entries = (other(), own())

    (finding,) = shadowed(Libraries(entries=entries), None, SITE)

    assert finding.remedies[0].snippet == "unset LD_LIBRARY_PATH"


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    assert shadowed.run(Facts()).skipped == snapshot


OLD = "int old_one(void) { return 1; }"
NEW = OLD + "int __nvJitLinkAddData(void) { return 2; }"
OLD_NODES = "libnvJitLink.so.12 { global: old_one; local: *; };"
NEW_NODES = "libnvJitLink.so.12 { global: *; };"
USER = "int __nvJitLinkAddData(void);int use(void) { return __nvJitLinkAddData(); }"


def test_it_really_fails_and_the_remedy_cures(
    tmp_path: Path, site_packages: Path, shared_object: Callable[..., Path]
) -> None:
    """A libcusparse with a DT_RUNPATH under a torch with a DT_RPATH."""
    env, site = tmp_path / "env", site_packages
    link = shared_object(site / "nvidia/nvjitlink/lib" / LINK, source=NEW, script=NEW_NODES)
    sparse = shared_object(site / SPARSE, link, source=USER, paths="$ORIGIN/../../nvjitlink/lib")
    torch = shared_object(
        site / "torch/lib/libtorch_global_deps.so",
        sparse,
        paths="$ORIGIN/../../nvidia/cusparse/lib:$ORIGIN/../../nvidia/nvjitlink/lib",
        rpath=True,
    )
    cuda = tmp_path / "cuda"
    shared_object(cuda / LINK, source=OLD, script=OLD_NODES)
    ill = os.environ | {"LD_LIBRARY_PATH": str(cuda)}
    well = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}

    assert _loads(torch, well) == ""
    assert "undefined symbol: __nvJitLinkAddData" in _loads(torch, ill)
    assert _findings(env, well) == []
    (finding,) = _findings(env, ill)
    assert finding.remedies[0].snippet == "unset LD_LIBRARY_PATH"


def _loads(library: Path, environ: dict[str, str]) -> str:
    code = f"import ctypes, os; ctypes.CDLL({str(library)!r}, os.RTLD_NOW)"
    argv = [sys.executable, "-c", code]
    return subprocess.run(argv, env=environ, check=False, capture_output=True, text=True).stderr


def _findings(env: Path, environ: dict[str, str]) -> list[Finding]:
    seen = libraries(Machine(environ=environ), EnvironmentChoice(env=str(env)), lambda _: None)
    value = environ.get("LD_LIBRARY_PATH", "")
    return shadowed(seen, Variables(values={"LD_LIBRARY_PATH": value}), SITE)
