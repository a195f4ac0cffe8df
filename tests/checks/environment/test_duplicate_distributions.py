"""PDR840 speaks of files with two owners and of names with two folders."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Distribution, Interpreter, Packages, Shared
from pipedoctor_checks.environment.duplicate_distributions import (
    duplicate_distributions,
)

PLACE = Interpreter(executable="py")


def sharing(example: str, *owners: str) -> Packages:
    return Packages(shared=(Shared(owners=owners or ("a", "b"), files=2, example=example),))


def copies(*rows: tuple[str, str, str]) -> Packages:
    return Packages(
        entries=tuple(
            Distribution(name=name, version=version, location=location)
            for name, version, location in rows
        )
    )


@pytest.mark.parametrize(
    "packages",
    [
        pytest.param(Packages(), id="nothing"),
        pytest.param(sharing("tests/test_x.py"), id="tests at the top"),
        pytest.param(sharing("docs/conf.py"), id="documentation"),
        pytest.param(sharing("LICENSE"), id="a licence"),
        pytest.param(sharing("google/__init__.py"), id="a shared name space"),
        pytest.param(sharing("nvidia/py.typed"), id="a marker"),
        pytest.param(sharing("numpy/version.py", "numpy", "numpy"), id="one name twice"),
        pytest.param(copies(("six", "1", "/a"), ("six", "2", "/b")), id="two folders"),
        pytest.param(copies(("six", "1", "/a"), ("six", "1", "/a")), id="one version"),
        pytest.param(copies(("six", "1", ""), ("six", "2", "")), id="lines of a text"),
    ],
)
def test_silent(packages: Packages) -> None:
    assert duplicate_distributions(packages, PLACE) == []


def test_two_opencv() -> None:
    packages = sharing("cv2/cv2.abi3.so", "opencv-python", "opencv-python-headless")

    (finding,) = duplicate_distributions(packages, PLACE)

    assert finding.severity is Severity.RISKS
    assert finding.summary == (
        "opencv-python and opencv-python-headless own the same 2 files, such as cv2/cv2.abi3.so"
    )
    assert [remedy.shell for remedy in finding.remedies] == [
        "py -m pip uninstall -y opencv-python",
        "py -m pip install --force-reinstall --no-deps opencv-python-headless",
    ]


def test_the_build_that_contains_the_others_stays() -> None:
    owners = ("opencv-contrib-python", "opencv-python", "opencv-python-headless")

    (finding,) = duplicate_distributions(sharing("cv2/cv2.abi3.so", *owners), PLACE)

    assert finding.remedies[0].shell == (
        "py -m pip uninstall -y opencv-python opencv-python-headless"
    )


@pytest.mark.parametrize(
    ("packages", "severity"),
    [
        (sharing("a/x.py"), Severity.NOTE),
        (sharing("a/x.so"), Severity.RISKS),
        (sharing("a/x.pyd"), Severity.RISKS),
        (sharing("PIL/Image.py", "pillow", "other"), Severity.RISKS),
        (copies(("six", "1", "/a"), ("six", "2", "/a")), Severity.NOTE),
        (copies(("numpy", "1", "/a"), ("numpy", "2", "/a")), Severity.RISKS),
    ],
)
def test_binaries_and_what_pipelines_stand_on_weigh_more(
    packages: Packages, severity: Severity
) -> None:
    (finding,) = duplicate_distributions(packages, PLACE)

    assert finding.severity is severity


def test_two_metadata_folders(snapshot: SnapshotAssertion) -> None:
    rows = (("numpy", "1.26.4", "/site"), ("numpy", "2.4.6", "/site"))

    (finding,) = duplicate_distributions(copies(*rows), PLACE)

    assert finding.summary == snapshot
    assert finding.evidence["location"] == "/site"
    assert [remedy.shell for remedy in finding.remedies] == [
        "py -m pip uninstall -y numpy",
        "py -m pip uninstall -y numpy",
        "py -m pip install numpy==2.4.6",
    ]
