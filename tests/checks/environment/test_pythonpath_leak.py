"""PDR861 speaks of installed packages that PYTHONPATH brings."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import Distribution, Interpreter, Packages, Site
from pipedoctor_checks.environment.pythonpath_leak import pythonpath_leak

SITE = "/venv/lib/python3.11/site-packages"
OLD = "/usr/lib/python3.9/site-packages"


def judge(folder: str, *rows: tuple[str, str, str], version: str = "3.11.7") -> list[Finding]:
    entries = tuple(Distribution(name=n, version=v, location=where) for n, v, where in rows)
    place = Interpreter(version=version, pythonpath=(folder,))
    return pythonpath_leak(place, Packages(entries=entries))


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param(judge("/project", ("torch", "2", SITE)), id="source code only"),
        pytest.param(judge("/project", ("mine", "1", "/project")), id="a package of its own"),
        pytest.param(judge(OLD, ("torch", "2", SITE)), id="an empty folder"),
        pytest.param(judge(OLD, ("mine", "1", OLD), version=""), id="unknown interpreter"),
    ],
)
def test_silent(findings: list[Finding]) -> None:
    assert findings == []


def test_hides_the_environments_torch() -> None:
    (finding,) = judge("/spack", ("torch", "2.1", "/spack"), ("torch", "2.13", SITE))

    assert finding.severity is Severity.RISKS
    assert finding.summary == "PYTHONPATH contains /spack, which hides torch (2.1 hides 2.13)"
    assert finding.remedies[0].shell == "unset PYTHONPATH"


@pytest.mark.parametrize(
    ("name", "severity"), [("numpy", Severity.RISKS), ("six", Severity.NOTE)], ids=["numpy", "six"]
)
def test_folder_of_another_python(
    name: str, severity: Severity, snapshot: SnapshotAssertion
) -> None:
    (finding,) = judge(OLD, (name, "1", OLD))

    assert finding.severity is severity
    assert finding.summary == snapshot
    assert finding.evidence["python"] == "3.9"


@pytest.mark.parametrize(
    ("system", "folders", "line"),
    [
        ("linux", ("/mine", "/spack", "/more"), "export PYTHONPATH=/mine:/more"),
        ("windows", ("C:\\mine", "/spack", "D:\\more"), "export 'PYTHONPATH=C:\\mine;D:\\more'"),
        ("linux", ("/spack",), "unset PYTHONPATH"),
    ],
)
def test_other_folders_stay(system: str, folders: tuple[str, ...], line: str) -> None:
    torches = [("2.1", "/spack"), ("2.13", SITE)]
    entries = tuple(Distribution(name="torch", version=v, location=where) for v, where in torches)
    place = Interpreter(version="3.11.7", pythonpath=folders)

    (finding,) = pythonpath_leak(place, Packages(entries=entries), Site(system=system))

    (remedy,) = finding.remedies
    assert (remedy.shell or remedy.snippet) == line
