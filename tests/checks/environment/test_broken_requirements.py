"""PDR862 speaks of requirements that are not met, loudly where it matters."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Bound, Distribution, Interpreter, Missing, Packages, Requirements
from pipedoctor_checks.environment.broken_requirements import broken_requirements

PLACE = Interpreter(executable="/usr/bin/python3", externally_managed=True)


def lacking(*unmet: tuple[str, str, str]) -> Requirements:
    return Requirements(
        unmet=tuple(
            Missing(owner=owner, requirement=wanted, found=found) for owner, wanted, found in unmet
        )
    )


def test_silent() -> None:
    assert broken_requirements(lacking(), None, PLACE) == []


@pytest.mark.parametrize(
    "row",
    [
        ("torchvision", "six>=2", "1.17"),
        ("timm", "numpy<2", "2.4.6"),
        ("timm", "torch", ""),
    ],
)
def test_where_a_pipeline_stands_on_it_it_is_a_risk(row: tuple[str, str, str]) -> None:
    (finding,) = broken_requirements(lacking(row), Packages(), PLACE)

    assert finding.severity is Severity.RISKS


@pytest.mark.parametrize("wanted", ["torchmetrics>=1", "six>=2"])
def test_elsewhere_it_is_a_note(wanted: str) -> None:
    (finding,) = broken_requirements(lacking(("flask", wanted, "0.1")), None, PLACE)

    assert finding.severity is Severity.NOTE
    assert finding.summary == f"flask needs {wanted}, 0.1 is installed"


def test_grave_ones_first_and_all_are_installed(snapshot: SnapshotAssertion) -> None:
    minor = [(f"web{number}", "six>=2", "1.17") for number in range(3)]

    (finding,) = broken_requirements(lacking(*minor, ("timm", "torch>=2", "")), None, PLACE)

    assert finding.summary == snapshot
    assert len(finding.evidence["unmet"]) == 4
    (remedy,) = finding.remedies
    assert remedy.shell == "python -m pip install 'torch>=2' 'six>=2'"
    assert remedy.title == snapshot


@pytest.mark.parametrize(
    ("wanted", "there", "met"),
    [
        ("opencv-python>=4.6.0", "opencv-python-headless", True),
        ("opencv_python_headless", "opencv-contrib-python", True),
        ("pillow", "pillow-simd", True),
        ("opencv-python>=4.12", "opencv-python-headless", False),
        ("opencv-python<4.11", "opencv-python-headless", False),
        ("opencv-contrib-python", "opencv-python", False),
        ("pillow", "opencv-python", False),
    ],
)
def test_the_same_module_of_another_distribution(wanted: str, there: str, *, met: bool) -> None:
    packages = Packages(entries=(Distribution(name=there, version="4.11.0.86"),))

    findings = broken_requirements(lacking(("ultralytics", wanted, "")), packages, PLACE)

    assert (findings == []) is met


@pytest.mark.parametrize(
    ("unmet", "others", "line"),
    [
        ([("bb", ">=2")], [("cc", "<2.3"), ("dd", "<3")], "'numpy>=2,<2.3'"),
        ([("bb", ">=2")], [("cc", "~=2.1,!=2.2")], "'numpy>=2,~=2.1'"),
        ([("aa", "<2")], [("bb", ">=2")], "'numpy<2' bb"),
        ([("aa", "<2"), ("bb", ">=2.3")], [("cc", ">=1")], "aa bb"),
        ([("aa", "")], [("cc", "<=2.3"), ("dd", "<2.4")], "'numpy<=2.3'"),
    ],
    ids=["too new", "exact", "contradicted", "both cannot be", "any"],
)
def test_no_other_requirement_is_broken_by_it(
    unmet: list[tuple[str, str]], others: list[tuple[str, str]], line: str
) -> None:
    bounds = [Bound(owner=owner, name="numpy", specifier=s) for owner, s in (*unmet, *others) if s]
    missing = [Missing(owner=owner, requirement=f"numpy{s}", found="2.1") for owner, s in unmet]
    requirements = Requirements(unmet=tuple(missing), bounds=tuple(bounds))

    (finding,) = broken_requirements(requirements, None, PLACE)

    assert finding.remedies[0].shell == f"python -m pip install {line}"
