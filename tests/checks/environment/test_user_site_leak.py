"""PDR860 speaks of ~/.local where it hides or adds what others do not have."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import Distribution, Interpreter, Packages
from pipedoctor_checks.environment.user_site_leak import user_site_leak

MINE, THEIRS = "/home/ada/.local/lib", "/opt/conda/lib"


def judge(*rows: tuple[str, str, str], kind: str = "conda", user_site: str = MINE) -> list[Finding]:
    entries = tuple(Distribution(name=n, version=v, location=where) for n, v, where in rows)
    place = Interpreter(kind=kind, user_site=user_site)
    return user_site_leak(place, Packages(entries=entries))


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param(judge(("torch", "2", THEIRS), user_site=""), id="not looked at"),
        pytest.param(judge(("torch", "2", THEIRS)), id="nothing in it"),
        pytest.param(judge(("torch", "2", MINE), ("torch", "2", THEIRS)), id="the same version"),
        pytest.param(
            judge(("torch", "2", MINE), kind="system"),
            id="where pip installs for users",
        ),
    ],
)
def test_silent(findings: list[Finding]) -> None:
    assert findings == []


@pytest.mark.parametrize("kind", ["conda", "system"])
def test_older_torch_hides_the_environments(kind: str) -> None:
    rows = (("six", "1", MINE), ("torch", "1.9", MINE), ("six", "2", THEIRS))

    (finding,) = judge(*rows, ("torch", "2.13", THEIRS), kind=kind)

    assert finding.severity is Severity.RISKS
    assert finding.summary == ("/home/ada/.local/lib hides torch (1.9 hides 2.13), six (1 hides 2)")
    assert finding.remedies[0].snippet == "export PYTHONNOUSERSITE=1"


@pytest.mark.parametrize(
    ("name", "severity"), [("torch", Severity.RISKS), ("six", Severity.NOTE)], ids=["torch", "six"]
)
def test_conda_environments_should_not_need_it(
    name: str, severity: Severity, snapshot: SnapshotAssertion
) -> None:
    (finding,) = judge((name, "1", MINE))

    assert finding.severity is severity
    assert finding.summary == snapshot


def test_long_lists_are_cut(snapshot: SnapshotAssertion) -> None:
    rows = [(f"web{number}", "1", MINE) for number in range(6)]

    (finding,) = judge(*rows)

    assert finding.summary == snapshot
    assert finding.evidence == {"hidden": {}, "added": 6}


def test_copy_that_is_hidden_itself_does_no_harm() -> None:
    rows = (("torch", "2", "/pythonpath"), ("torch", "1", MINE), ("torch", "2", THEIRS))

    assert judge(*rows, kind="system") == []
