"""PDR853: does Pillow decode JPEG without libjpeg-turbo?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import ImageStack, Interpreter
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor_checks import _pip

_FORKS = ("pillow", "pillow-simd")


@check("PDR853", "JPEG is decoded without libjpeg-turbo", after=("PDR852",))
def image_decoder_slow(
    images: ImageStack, interpreter: Interpreter | None, /
) -> Findings:
    """
    Look which JPEG library Pillow's compiled part would load.

    ## Why it hurts

    libjpeg-turbo decodes with the processor's vector instructions, the Independent JPEG
    Group's own libjpeg without; decoding is most of what a worker of an image data set
    does.

    ## How it is judged

    By the library file that the linker would take and what it says of itself. Pillow's
    wheels bring libjpeg-turbo since 9.0; builds against a system's or a channel's
    `libjpeg.so.9` do not. Which of Pillow, torchvision, OpenCV and others is fastest on
    your files is not judged: the differences among those that use libjpeg-turbo are
    smaller than commonly said, and only a measurement tells them.

    ## Sources

    - https://libjpeg-turbo.org/About/Performance
    - https://pillow.readthedocs.io/en/stable/releasenotes/9.0.0.html
    - https://github.com/ternaus/imread_benchmark
    """
    known = [
        decoder
        for name in _FORKS
        if (decoder := images.find(name)) and decoder.libjpeg_kind
    ]
    if not known:
        message = "no file tells which JPEG library is used, and nothing was measured"
        raise CannotJudge(message)
    for decoder in known:
        if decoder.libjpeg_kind == "turbo":
            continue
        conda = interpreter is not None and interpreter.kind == "conda"
        yield Finding(
            severity=Severity.SLOWS,
            summary=f"{decoder.name} {decoder.version} decodes JPEG with "
            f"{decoder.libjpeg.rpartition('/')[2]}, not with libjpeg-turbo",
            evidence={"library": decoder.libjpeg},
            confidence=Confidence.LIKELY,
            remedies=(
                _from_forge(interpreter)
                if conda and interpreter is not None
                else _pip.reinstall(
                    interpreter, "Take the wheel, which brings libjpeg-turbo", "pillow"
                ),
            ),
        )


def _from_forge(place: Interpreter) -> Remedy:
    line = ("conda", "install", "--prefix", place.prefix, "--channel", "conda-forge")
    return Remedy(
        title="Take conda-forge's Pillow, which uses libjpeg-turbo",
        argv=(*line, "pillow", "libjpeg-turbo"),
        lasts=Lasts.ALWAYS,
        advice=True,
    )
