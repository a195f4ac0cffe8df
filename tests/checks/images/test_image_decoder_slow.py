"""PDR853 says only what files tell of the JPEG library."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import (
    BenchDecode,
    Cpu,
    Decoder,
    Facts,
    Host,
    ImageStack,
    Interpreter,
    Spread,
)
from pipedoctor.facts.bench_decode import DecodePath, Images, Pixels
from pipedoctor_checks.images.image_decoder_slow import image_decoder_slow


def images(kind: str, name: str = "pillow", version: str = "8.4.0") -> ImageStack:
    decoder = Decoder(
        name=name,
        version=version,
        libjpeg="/env/lib/libjpeg.so.9" if kind else "",
        libjpeg_kind=kind,
    )
    return ImageStack(decoders=(decoder,))


@pytest.mark.parametrize("name", ["pillow", "pillow-simd"])
def test_silent(name: str) -> None:
    assert image_decoder_slow(images("turbo", name), None) == []


@pytest.mark.parametrize("name", ["pillow", "pillow-simd"])
def test_without_vector_instructions(name: str) -> None:
    place = Interpreter(executable="/env/bin/python", kind="venv")

    (finding,) = image_decoder_slow(images("IJG", name), place)

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        f"{name} 8.4.0 decodes JPEG with libjpeg.so.9, not with libjpeg-turbo"
    )
    assert finding.gain is None
    assert finding.remedies[0].shell == (
        "/env/bin/python -m pip install --force-reinstall --no-deps pillow"
    )


def test_conda_has_a_build_of_its_own() -> None:
    place = Interpreter(prefix="/env", kind="conda")

    (finding,) = image_decoder_slow(images("IJG"), place)

    assert finding.remedies[0].shell == (
        "conda install --prefix /env --channel conda-forge pillow libjpeg-turbo"
    )
    assert finding.remedies[0].advice


def test_nobody_knows_the_place() -> None:
    (finding,) = image_decoder_slow(images("IJG"), None)

    assert finding.remedies[0].argv[0] == "python"


@pytest.mark.parametrize(
    "stack",
    [ImageStack(), images(""), images("IJG", "simplejpeg")],
    ids=["nothing decodes", "not known", "not Pillow"],
)
def test_unknown_is_not_health(stack: ImageStack, snapshot: SnapshotAssertion) -> None:
    verdict = image_decoder_slow.run(Facts(stack))

    assert verdict.skipped == snapshot


HERE = Cpu(logical=8, model="Acme 9")
HOST = Host(model="Acme 9", cpus=8, effective=8, created="2026-01-01T00:00:00Z")
RATE = Spread(value=60.0, low=59.0, high=61.0, windows=5)


def way(name: str, low: float | None = None, **more: Any) -> DecodePath:
    """A measured way to resized pixels, this many times as fast as PIL."""
    ratio = None
    if low is not None:
        ratio = Spread(value=low + 0.1, low=low, high=low + 0.2, windows=5)
    given: dict[str, Any] = {
        "antialiased": True,
        "pixels": Pixels(largest=7, mean=0.5),
        **more,
    }
    return DecodePath(library=name, name=name, task="resize", rate=RATE, ratio=ratio, **given)


def measured(*ways: DecodePath) -> BenchDecode:
    images = Images(count=3, bytes=1)
    return BenchDecode(host=HOST, images=images, paths=(way("PIL"), *ways))


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(measured(way("cv2 area", 1.15)), id="the boundary"),
        pytest.param(
            measured(way("cv2 area", 0.9), way("cv2 linear", 3.0, antialiased=False)),
            id="faster only without antialiasing",
        ),
        pytest.param(
            measured(way("cv2 area", 0.9), way("PIL draft", 4.0, smaller=True)),
            id="faster only at a fraction of the size",
        ),
    ],
)
def test_what_was_measured_wins_over_names(found: BenchDecode) -> None:
    assert image_decoder_slow(images("IJG"), None, found, HERE) == []


def test_a_faster_way_was_measured(snapshot: SnapshotAssertion) -> None:
    found = measured(way("cv2 area", 1.5), way("simplejpeg", 1.2))

    (finding,) = image_decoder_slow(images("turbo"), None, found, HERE)

    assert finding.severity is Severity.SLOWS
    assert finding.summary == snapshot
    assert finding.evidence == {
        "images": 3,
        "generated": False,
        "ratio": [1.5, 1.6, 1.7],
        "images_per_second": 60.0,
        "measured": "2026-01-01T00:00:00Z",
    }
    assert finding.gain is not None
    assert finding.gain.value == pytest.approx(1 - 1 / 1.6)
    assert finding.gain.low == pytest.approx(1 / 3)
    assert finding.gain.basis == "measured"
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert "cv2.INTER_AREA" in remedy.snippet


@pytest.mark.parametrize(
    ("pixels", "said", "title"),
    [
        (Pixels(largest=0, mean=0.0), "the pixels are identical", "Decode with x"),
        (
            None,
            "how its pixels differ was not measured",
            "Decode with x, and validate once",
        ),
    ],
)
def test_what_changes(pixels: Pixels | None, said: str, title: str) -> None:
    found = measured(way("x", 2.0, pixels=pixels))

    (finding,) = image_decoder_slow(images("turbo"), None, found, HERE)

    assert finding.summary.endswith(said)
    assert finding.remedies[0].title == title


def test_the_user_decides_what_is_faster() -> None:
    found = measured(way("cv2 area", 1.5))

    assert image_decoder_slow(images("IJG"), None, found, HERE, faster=1.5) == []


@pytest.mark.parametrize(
    ("found", "cpu", "why"),
    [
        (
            measured(way("cv2 area", 9.0)),
            Cpu(logical=4, model="Acme 9"),
            "it was measured on another machine: Acme 9, 8 CPUs",
        ),
        (measured(), HERE, "there was nothing to compare with PIL"),
    ],
    ids=["another machine", "PIL alone"],
)
def test_then_names_decide(
    found: BenchDecode, cpu: Cpu, why: str, snapshot: SnapshotAssertion
) -> None:
    (finding,) = image_decoder_slow(images("IJG"), None, found, cpu)
    assert finding.summary == snapshot

    verdict = image_decoder_slow.run(Facts(ImageStack(), found, cpu))
    assert verdict.skipped == f"no file shows which JPEG library is used, and {why}"
