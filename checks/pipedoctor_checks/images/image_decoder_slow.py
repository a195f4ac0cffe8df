"""PDR853: could images be decoded much faster here?"""

from collections.abc import Iterator

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Remedy, Severity, check
from pipedoctor.engine.measurements import describe_other_machine
from pipedoctor.facts import BenchDecode, Cpu, ImageStack, Interpreter
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.images._faster_decoder import is_comparable, report_faster_decoder
from pipedoctor_checks.images._pillow_forks import PILLOW_FORKS


@check("PDR853", "Images could be decoded faster", after=("PDR852",))
def image_decoder_slow(
    images: ImageStack,
    interpreter: Interpreter | None,
    benchmark: BenchDecode | None = None,
    cpu: Cpu | None = None,
    /,
    *,
    faster: float = 1.15,
) -> Findings:
    """
    Use the measurement of `bench decode`, else see which JPEG library Pillow loads.

    ## Why it hurts

    libjpeg-turbo decodes with the CPU's vector instructions, the Independent JPEG
    Group's own libjpeg does not; decoding is most of the work of a worker of an image
    dataset.

    ## How it is judged

    What `pipedoctor bench decode` measured has priority (`check --measured FILE`): a
    decoder that gives antialiased pixels of the full size and is more than `faster`
    times as fast as PIL at decoding and resizing, at the lower end of its interval.
    Library names then have no influence, because the differences between decoders that
    use libjpeg-turbo are smaller than commonly assumed. Decoders that only skip pixels
    are not recommended. Without a measurement of this machine: by the library file that
    the linker would load, and its own version string. Pillow's wheels contain
    libjpeg-turbo since 9.0; builds against the `libjpeg.so.9` of a system or a conda
    channel do not.

    ## Sources

    - https://libjpeg-turbo.org/About/Performance
    - https://pillow.readthedocs.io/en/stable/releasenotes/9.0.0.html
    - https://github.com/ternaus/imread_benchmark
    """
    why = "nothing was measured"
    if benchmark is not None:
        why = describe_other_machine(benchmark.host, cpu)
        if not why and is_comparable(benchmark):
            yield from report_faster_decoder(benchmark, faster)
            return
        why = why or "there was nothing to compare with PIL"
    yield from _judge_by_library(images, interpreter, why)


def _judge_by_library(
    images: ImageStack, interpreter: Interpreter | None, why: str
) -> Iterator[Finding]:
    known = [
        decoder for name in PILLOW_FORKS if (decoder := images.find(name)) and decoder.libjpeg_kind
    ]
    if not known:
        message = f"no file shows which JPEG library is used, and {why}"
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
                _install_conda_forge(interpreter)
                if conda and interpreter is not None
                else pip_command.reinstall(
                    interpreter, "Install the wheel, which contains libjpeg-turbo", "pillow"
                ),
            ),
        )


def _install_conda_forge(place: Interpreter) -> Remedy:
    line = ("conda", "install", "--prefix", place.prefix, "--channel", "conda-forge")
    return advise_user(
        "Install conda-forge's Pillow, which uses libjpeg-turbo",
        argv=(*line, "pillow", "libjpeg-turbo"),
    )
