"""PDR953 finds an MKL that lacks what conda's own torch needs of it."""

import pytest

from pipedoctor.check import CannotJudge, Severity
from pipedoctor.facts import Clobbered, Conda, CondaPackage
from pipedoctor_checks.crashes.mkl_2024_1_symbol_missing import (
    mkl_2024_1_symbol_missing,
)


def conda(mkl: str = "2024.1.0", *, torch: str = "2.1.2", channel: str = "pytorch") -> Conda:
    packages = [CondaPackage(name="pytorch", version=torch, channel=channel)]
    if mkl:
        packages.append(CondaPackage(name="mkl", version=mkl, channel="pkgs/main"))
    return Conda(prefix="/opt/envs/job", packages=tuple(packages))


@pytest.mark.parametrize(
    "here",
    [
        pytest.param(conda("2024.0.0"), id="the last that has it"),
        pytest.param(conda("2023.1.0"), id="an old one"),
        pytest.param(conda(""), id="no MKL"),
        pytest.param(conda(channel="conda-forge"), id="conda-forge bounds its own"),
        pytest.param(conda(channel="pkgs/main"), id="defaults"),
    ],
)
def test_silent(here: Conda) -> None:
    assert mkl_2024_1_symbol_missing(here) == []


@pytest.mark.parametrize(
    ("mkl", "torch"),
    [
        ("2024.1", "1.12.1"),
        ("2024.1.0", "2.0.1"),
        ("2024.2.2", "2.3.1"),
        ("2025.0.0", "2.5.1"),
    ],
)
def test_speaks(mkl: str, torch: str) -> None:
    (finding,) = mkl_2024_1_symbol_missing(conda(mkl, torch=torch))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        f"mkl {mkl} lacks a symbol that pytorch {torch} of the channel `pytorch` "
        "needs: torch cannot be imported"
    )
    assert finding.evidence == {"pytorch": torch, "mkl": mkl}


def test_remedy() -> None:
    (finding,) = mkl_2024_1_symbol_missing(conda())
    (remedy,) = finding.remedies

    assert remedy.shell == "conda install --prefix /opt/envs/job 'mkl<2024.1'"
    assert remedy.verify == ("python", "-c", "import torch")
    assert not remedy.automatic


def test_remedy_where_the_environment_is_not_known() -> None:
    packages = conda().packages
    (finding,) = mkl_2024_1_symbol_missing(Conda(packages=packages))

    assert finding.remedies[0].shell == "conda install 'mkl<2024.1'"


@pytest.mark.parametrize(
    "here",
    [
        Conda(packages=(CondaPackage(name="mkl", version="2024.1"),)),
        Conda(
            packages=conda().packages,
            clobbered=(Clobbered(name="torch", conda_version="2.1.2", how="anchor missing"),),
        ),
    ],
)
def test_of_a_torch_that_is_not_condas_nobody_knows(here: Conda) -> None:
    with pytest.raises(CannotJudge, match="does not come from conda"):
        mkl_2024_1_symbol_missing(here)
