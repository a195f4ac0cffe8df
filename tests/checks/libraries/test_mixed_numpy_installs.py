"""PDR836 speaks when pip's and conda's numpy differ."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Conda, CondaPackage, Distribution, Interpreter, Packages
from pipedoctor_checks.libraries.mixed_numpy_installs import mixed_numpy_installs

PLACE = Interpreter(executable="/env/bin/python", manager="conda")


def listed(*entries: tuple[str, str, str]) -> Packages:
    return Packages(
        entries=tuple(
            Distribution(name=name, version=version, installer=installer)
            for name, version, installer in entries
        )
    )


def record(version: str, channel: str = "conda-forge") -> Conda:
    package = CondaPackage(name="numpy", version=version, channel=channel)
    return Conda(packages=(package,))


PIP = listed(("numpy", "2.4.6", "pip"))


@pytest.mark.parametrize(
    ("packages", "conda"),
    [
        pytest.param(PIP, None, id="no conda"),
        pytest.param(PIP, Conda(), id="conda without numpy"),
        pytest.param(PIP, record("2.4.6"), id="the same version"),
        pytest.param(PIP, record("1.26.4", "pypi"), id="conda repeats pip"),
        pytest.param(Packages(), record("1.26.4"), id="conda only"),
        pytest.param(
            listed(("numpy", "1.26.4", "conda")),
            record("1.26.4"),
            id="conda installed it",
        ),
    ],
)
def test_silent(packages: Packages, conda: Conda | None) -> None:
    assert mixed_numpy_installs(packages, conda, PLACE) == []


@pytest.mark.parametrize(
    ("packages", "conda"),
    [
        pytest.param(PIP, record("1.26.4"), id="by conda-meta"),
        pytest.param(
            listed(("numpy", "2.4.6", "pip"), ("numpy-base", "1.26.4", "conda")),
            None,
            id="by the lines of a text",
        ),
    ],
)
def test_other_version_is_a_risk(packages: Packages, conda: Conda | None) -> None:
    (finding,) = mixed_numpy_installs(packages, conda, PLACE)

    assert finding.severity is Severity.RISKS
    assert finding.summary == "pip's numpy 2.4.6 has overwritten conda's numpy 1.26.4"
    assert finding.evidence == {"pip": ["2.4.6"], "conda": ["1.26.4"]}
    name = "numpy" if conda else "numpy-base"
    assert [remedy.shell for remedy in finding.remedies] == [
        "/env/bin/python -m pip uninstall -y numpy",
        f"conda install --force-reinstall {name}=1.26.4",
    ]


@pytest.mark.parametrize("place", [Interpreter(user_site="/u"), Interpreter(pythonpath=("/u",))])
def test_a_copy_outside_the_environment_has_overwritten_nothing(place: Interpreter) -> None:
    copy = Distribution(name="numpy", version="1.20.0", installer="pip", location="/u")

    assert mixed_numpy_installs(Packages(entries=(copy,)), record("2.4.6"), place) == []
