"""PDR853 says only what files tell of the JPEG library."""

import pytest

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Decoder, Facts, ImageStack, Interpreter
from pipedoctor_checks.image_decoder_slow import image_decoder_slow


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
def test_unknown_is_not_health(stack: ImageStack) -> None:
    verdict = image_decoder_slow.run(Facts(stack))

    assert verdict.skipped == (
        "no file tells which JPEG library is used, and nothing was measured"
    )
