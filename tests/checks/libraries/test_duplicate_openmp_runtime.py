"""PDR843 speaks of the one pair that is fatal, and of OpenMP's own complaint."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import (
    Facts,
    Interpreter,
    Libraries,
    Library,
    TorchImport,
    Variables,
)
from pipedoctor_checks.libraries.duplicate_openmp_runtime import (
    duplicate_openmp_runtime,
)


def library(name: str, file: str = "", *, chosen: bool = True, by: str = "pkg/x.so") -> Library:
    return Library(
        soname=name,
        path=f"/env/lib/{name}",
        real=file,
        wanted_by=by,
        chosen=chosen,
    )


def judge(*entries: Library, kind: str = "venv") -> list[Finding]:
    return duplicate_openmp_runtime(Libraries(entries=entries), None, None, Interpreter(kind=kind))


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["libgomp.so.1"],
        ["libgomp.so.1", "libiomp5.so"],
        ["libgomp.so.1", "libomp.so"],
        ["libgomp-a34b3233.so.1", "libgomp.so.1"],
        ["libiomp5.so"],
        ["libompi.so.40", "libiomp5.so"],
        ["libomptarget.so", "libiomp5.so"],
        ["libomp.so", "libiompstubs5.so"],
    ],
    ids="+".join,
)
def test_silent(names: list[str]) -> None:
    assert judge(*map(library, names)) == []


def test_two_names_of_one_file() -> None:
    one, two = library("libomp.so"), library("libiomp5.so", "/env/lib/libomp.so")

    assert judge(one, two) == []


def test_a_copy_that_is_not_taken() -> None:
    assert judge(library("libomp.so", chosen=False), library("libiomp5.so")) == []


@pytest.mark.parametrize(
    ("llvm", "intel"),
    [
        ("libomp.so", "libiomp5.so"),
        ("libomp.so.5", "libiomp5.so"),
        ("libomp-f1b2.so.5", "libiomp5-9a.so"),
    ],
)
def test_the_fatal_pair(llvm: str, intel: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(library(intel), library(llvm))

    assert finding.severity is Severity.RISKS
    assert finding.summary == (
        f"{llvm} (LLVM) and {intel} (Intel) would be loaded into one process"
    )
    assert finding.evidence[llvm] == f"/env/lib/{llvm}, for pkg/x.so"
    (remedy,) = finding.remedies
    assert remedy.title == snapshot


def test_a_variable_chooses_for_mkl_alone() -> None:
    mkl = library("libiomp5.so", by="numpy.libs/libmkl_intel_thread.so.2")
    both = Libraries(entries=(library("libomp.so"), mkl))

    (finding,) = duplicate_openmp_runtime(both, None, None, None)

    assert finding.remedies[0].snippet == "export MKL_THREADING_LAYER=GNU"
    chosen = Variables(values={"MKL_THREADING_LAYER": "gnu"})
    assert duplicate_openmp_runtime(both, None, chosen, None) == []


def test_conda_has_channels(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(library("libomp.so"), library("libiomp5.so"), kind="conda")

    assert finding.remedies[0].title == snapshot


def test_what_is_set_is_shown() -> None:
    both = Libraries(entries=(library("libomp.so"), library("libiomp5.so")))
    layer = Variables(values={"MKL_THREADING_LAYER": "INTEL"})

    (finding,) = duplicate_openmp_runtime(both, None, layer, None)

    assert finding.evidence["MKL_THREADING_LAYER"] == "INTEL"


@pytest.mark.parametrize(
    "said",
    [
        "OMP: Error #15: Initializing libiomp5md.dll, but found it already there.",
        (
            "OMP: Hint This means that multiple copies of the OpenMP runtime have been "
            "linked into the program."
        ),
    ],
)
def test_it_stopped_the_import(said: str, snapshot: SnapshotAssertion) -> None:
    outcome = TorchImport(ok=False, error=said)

    (finding,) = duplicate_openmp_runtime(None, outcome, None, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.evidence == {"said": said}


def test_unknown_is_not_health() -> None:
    reason = "libraries: not collected"

    assert duplicate_openmp_runtime.run(Facts()).skipped == reason
    assert duplicate_openmp_runtime.run(Facts(TorchImport(ok=True))).skipped == reason
