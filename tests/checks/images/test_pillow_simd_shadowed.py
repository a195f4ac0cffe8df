"""PDR852 speaks when Pillow and its fork share a folder."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Distribution, Facts, ImageStack, Interpreter, Packages
from pipedoctor_checks.images.pillow_simd_shadowed import pillow_simd_shadowed

PLACE = Interpreter(executable="/env/bin/python", manager="uv")


def packages(**versions: str) -> Packages:
    return Packages(
        entries=tuple(
            Distribution(name=name.replace("_", "-"), version=version)
            for name, version in versions.items()
        )
    )


@pytest.mark.parametrize(
    "only",
    [packages(), packages(pillow="13.0.0"), packages(pillow_simd="12.1.1.post0")],
    ids=["none", "Pillow", "the fork"],
)
def test_silent(only: Packages) -> None:
    assert pillow_simd_shadowed(only, None, PLACE) == []


BOTH = packages(pillow="13.0.0", pillow_simd="12.1.1.post0")
SHARE = "pillow 13.0.0 and pillow-simd 12.1.1.post0 share the folder PIL"


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ("13.0.0", ": pillow was written last and is used"),
        ("12.1.1.post0", ": pillow-simd was written last and is used"),
        ("9.0.0", ""),
        ("", ""),
    ],
)
def test_both(runs: str, said: str) -> None:
    (finding,) = pillow_simd_shadowed(BOTH, ImageStack(pillow_version=runs), PLACE)

    assert finding.severity is Severity.RISKS
    assert finding.summary == SHARE + said
    assert finding.evidence["PIL/_version.py"] == runs
    assert [remedy.shell for remedy in finding.remedies] == [
        "uv pip uninstall --python /env/bin/python pillow pillow-simd",
        "uv pip install --python /env/bin/python pillow",
    ]


def test_which_runs_is_not_known() -> None:
    (finding,) = pillow_simd_shadowed(BOTH, None, None)

    assert finding.summary == SHARE


def test_the_same_version_tells_nothing(snapshot: SnapshotAssertion) -> None:
    same = packages(pillow="9.5.0", pillow_simd="9.5.0")

    (finding,) = pillow_simd_shadowed(same, ImageStack(pillow_version="9.5.0"), None)

    assert finding.summary == snapshot


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    assert pillow_simd_shadowed.run(Facts()).skipped == snapshot
