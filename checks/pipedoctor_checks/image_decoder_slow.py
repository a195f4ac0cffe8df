"""PDR853: could images be decoded much faster here?"""

from collections.abc import Iterator

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import BenchDecode, Cpu, ImageStack, Interpreter
from pipedoctor.measured import elsewhere
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor_checks import _pip
from pipedoctor_checks._faster_decoder import compared, faster_way

_FORKS = ("pillow", "pillow-simd")


@check("PDR853", "Images could be decoded faster", after=("PDR852",))
def image_decoder_slow(
    images: ImageStack,
    interpreter: Interpreter | None,
    measured: BenchDecode | None = None,
    cpu: Cpu | None = None,
    /,
    *,
    faster: float = 1.15,
) -> Findings:
    """
    Take the measurement of `bench decode`, else look which JPEG library Pillow loads.

    ## Why it hurts

    libjpeg-turbo decodes with the processor's vector instructions, the Independent JPEG
    Group's own libjpeg without; decoding is most of what a worker of an image data set
    does.

    ## How it is judged

    What `pipedoctor bench decode` measured wins (`check --measured FILE`): a way that
    gives antialiased pixels of the full size and is more than `faster` times as fast
    as PIL at decoding and resizing, by the lower end of its interval. Then names of
    libraries decide nothing, for the differences among those that use libjpeg-turbo
    are smaller than commonly said. Ways that only leave out pixels are not
    recommended. Without a measurement of this machine: by the library file that the
    linker would take and what it says of itself. Pillow's wheels bring libjpeg-turbo
    since 9.0; builds against a system's or a channel's `libjpeg.so.9` do not.

    ## Sources

    - https://libjpeg-turbo.org/About/Performance
    - https://pillow.readthedocs.io/en/stable/releasenotes/9.0.0.html
    - https://github.com/ternaus/imread_benchmark
    """
    why = "nothing was measured"
    if measured is not None:
        why = elsewhere(measured.host, cpu)
        if not why and compared(measured):
            yield from faster_way(measured, faster)
            return
        why = why or "there was nothing to compare PIL with"
    yield from _by_name(images, interpreter, why)


def _by_name(
    images: ImageStack, interpreter: Interpreter | None, why: str
) -> Iterator[Finding]:
    known = [
        decoder
        for name in _FORKS
        if (decoder := images.find(name)) and decoder.libjpeg_kind
    ]
    if not known:
        message = f"no file tells which JPEG library is used, and {why}"
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
