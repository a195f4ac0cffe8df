"""PDR841 speaks of conda packages that pip has written over."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Clobbered, Conda, Facts
from pipedoctor_checks.environment.conda_pip_clobber import conda_pip_clobber


def over(*rows: tuple[str, str, str], prefix: str = "/env") -> Conda:
    return Conda(
        prefix=prefix,
        clobbered=tuple(
            Clobbered(name=n, conda_version=c, pip_version=p, how="anchor missing")
            for n, c, p in rows
        ),
    )


def test_silent_where_both_keep_apart() -> None:
    assert conda_pip_clobber(over()) == []


def test_torch_is_a_risk() -> None:
    (finding,) = conda_pip_clobber(over(("six", "1.16", ""), ("torch", "2.5.1", "2.13.0")))

    assert finding.severity is Severity.RISKS
    assert finding.summary == ("pip has overwritten conda's torch (2.5.1, now 2.13.0), six (1.16)")
    assert finding.evidence == {"clobbered": {"torch": "anchor missing", "six": "anchor missing"}}
    assert finding.remedies[0].shell == ("conda install --prefix /env --force-reinstall torch six")


def test_conda_is_told_the_name_that_conda_knows(snapshot: SnapshotAssertion) -> None:
    torch = Clobbered(name="torch", package="pytorch", conda_version="2.4.0")

    (finding,) = conda_pip_clobber(Conda(prefix="/env", clobbered=(torch,)))

    assert finding.summary == snapshot
    assert finding.remedies[0].shell == ("conda install --prefix /env --force-reinstall pytorch")


def test_many_small_ones_are_one_note(snapshot: SnapshotAssertion) -> None:
    rows = [(f"web{number}", "1", "2") for number in range(5)]

    (finding,) = conda_pip_clobber(over(*rows, prefix=""))

    assert finding.severity is Severity.NOTE
    assert finding.summary == snapshot
    assert "--prefix PREFIX" in finding.remedies[0].shell


@pytest.mark.parametrize("why", ["/venv is not a conda environment"])
def test_elsewhere_it_is_not_judged(why: str) -> None:
    assert conda_pip_clobber.run(Facts(unknown={"conda": why})).skipped == f"conda: {why}"
