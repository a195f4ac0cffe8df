"""PDR841 speaks of conda packages that pip has written over."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Clobbered, Conda, Facts, Interpreter
from pipedoctor_checks.environment.conda_pip_clobber import conda_pip_clobber

PLACE = Interpreter(executable="/env/bin/python", kind="conda")


def over(*rows: tuple[str, str, str], prefix: str = "/env") -> Conda:
    return Conda(
        prefix=prefix,
        clobbered=tuple(
            Clobbered(name=n, conda_version=c, pip_version=p, how="anchor missing")
            for n, c, p in rows
        ),
    )


def test_silent_where_both_keep_apart() -> None:
    assert conda_pip_clobber(over(), PLACE) == []


def test_torch_is_a_risk() -> None:
    (finding,) = conda_pip_clobber(over(("six", "1.16", ""), ("torch", "2.5.1", "2.13.0")), PLACE)

    assert finding.severity is Severity.RISKS
    assert finding.summary == ("pip has overwritten conda's torch (2.5.1, now 2.13.0), six (1.16)")
    assert finding.evidence == {"clobbered": {"torch": "anchor missing", "six": "anchor missing"}}
    assert [remedy.shell for remedy in finding.remedies] == [
        "/env/bin/python -m pip uninstall -y torch",
        "conda install --prefix /env --force-reinstall torch=2.5.1 six=1.16",
    ]
    assert finding.remedies[1].title.startswith("Then ")


def test_what_pip_has_removed_only_comes_back() -> None:
    (finding,) = conda_pip_clobber(over(("six", "1.16", "")), PLACE)

    assert [remedy.shell for remedy in finding.remedies] == [
        "conda install --prefix /env --force-reinstall six=1.16"
    ]


def test_conda_is_told_the_name_that_conda_knows(snapshot: SnapshotAssertion) -> None:
    torch = Clobbered(name="torch", package="pytorch", conda_version="2.4.0")

    (finding,) = conda_pip_clobber(Conda(prefix="/env", clobbered=(torch,)), PLACE)

    assert finding.summary == snapshot
    assert [remedy.shell for remedy in finding.remedies] == [
        "/env/bin/python -m pip uninstall -y torch",
        "conda install --prefix /env --force-reinstall pytorch=2.4.0",
    ]


def test_many_small_ones_are_one_note(snapshot: SnapshotAssertion) -> None:
    rows = [(f"web{number}", "1", "2") for number in range(5)]

    (finding,) = conda_pip_clobber(over(*rows, prefix=""), None)

    assert finding.severity is Severity.NOTE
    assert finding.summary == snapshot
    assert "conda install --force-reinstall web0=1 " in finding.remedies[1].shell


@pytest.mark.parametrize("why", ["/venv is not a conda environment"])
def test_elsewhere_it_is_not_judged(why: str) -> None:
    assert conda_pip_clobber.run(Facts(unknown={"conda": why})).skipped == f"conda: {why}"
