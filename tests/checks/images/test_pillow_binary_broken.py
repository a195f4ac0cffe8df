"""PDR850 says why Pillow's compiled part cannot be loaded."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.facts import (
    Decoder,
    Facts,
    ImageStack,
    Interpreter,
    Libraries,
    Library,
)
from pipedoctor_checks.images.pillow_binary_broken import pillow_binary_broken

PLACE = Interpreter(executable="/env/bin/python", manager="pip")


def images(*names: str, broken: str = "", version: str = "12.1.1") -> ImageStack:
    return ImageStack(
        decoders=tuple(Decoder(name=name, version=version) for name in names),
        pillow_version=version,
        pillow_binary="/env/PIL/_imaging.so",
        pillow_broken=broken,
    )


def missing(name: str, by: str) -> Library:
    return Library(soname=name, path="", wanted_by=by)


def judge(stack: ImageStack, *lost: Library) -> list[Finding]:
    return pillow_binary_broken(stack, Libraries(missing=lost), PLACE)


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param((), id="all there"),
        pytest.param((missing("libGL.so.1", "cv2/cv2.abi3.so"),), id="of OpenCV"),
    ],
)
def test_silent(lost: tuple[Library, ...]) -> None:
    assert judge(images("pillow"), *lost) == []


def test_silent_where_libraries_are_not_known() -> None:
    assert pillow_binary_broken(images("pillow"), None, PLACE) == []


def test_a_reason_in_its_files() -> None:
    (finding,) = judge(images("pillow", broken="its binary part is for another Python"))

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "pillow 12.1.1 cannot be imported: its binary part is for another Python"
    )
    assert finding.remedies[0].shell == (
        "/env/bin/python -m pip install --force-reinstall --no-deps pillow==12.1.1"
    )


@pytest.mark.parametrize("by", ["PIL/_imaging.abi3.so", "pillow.libs/libtiff-1.so.6"])
def test_a_library_is_gone(by: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(images("pillow-simd"), missing("libjpeg.so.8", by))

    assert finding.summary == snapshot
    assert finding.evidence["missing"] == ["libjpeg.so.8"]
    assert finding.remedies[0].argv[-1] == "pillow-simd==12.1.1"


def test_the_first_reason_is_enough() -> None:
    (finding,) = judge(images("pillow", broken="one reason"), missing("libjpeg.so.8", "PIL/x.so"))

    assert finding.summary.endswith(": one reason")


def test_files_without_metadata(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(images(broken="x"))

    assert finding.summary == snapshot


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    assert pillow_binary_broken.run(Facts()).skipped == snapshot
    absent = pillow_binary_broken.run(Facts(ImageStack()))
    assert absent.skipped == snapshot
