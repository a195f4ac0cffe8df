"""PDR846: do binaries use instructions that this processor lacks?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import (
    Cpu,
    ImageStack,
    Interpreter,
    Packages,
    TorchBuild,
    TorchImport,
)
from pipedoctor.remedy import Place, Remedy
from pipedoctor_checks import _library_words, _pip
from pipedoctor_checks._instructions import lacking


@check(
    "PDR846", "The processor lacks instructions that a binary uses", after=("PDR830",)
)
def cpu_lacks_instruction_set(
    cpu: Cpu | None,
    torch_import: TorchImport | None,
    torch: TorchBuild | None,
    packages: Packages | None,
    images: ImageStack | None,
    interpreter: Interpreter | None,
    /,
) -> Findings:
    """
    Look for `Illegal instruction`, and for binaries that cannot run on this processor.

    ## Why it hurts

    The program dies without a Python traceback, at import or at the first operation
    that uses the instruction. In virtual machines the processor can mostly do it, but
    the machine's type hides it.

    ## How it is judged

    A child that imported torch and died of SIGILL is certain. torch's own kernels are
    chosen at run time, so that a missing AVX2 or AVX-512 only makes them slower and is
    no finding; builds for ROCm are known to use AVX without asking. numpy's wheels
    refuse to start without SSE4.2 from 2.4 on, and a Pillow-SIMD that was compiled
    for AVX2 has no other code. Flags of the processor that nobody could read, as on
    ARM, judge nothing.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/43300
    - https://github.com/ROCm/pytorch/issues/1216
    - https://github.com/NixOS/nixpkgs/issues/504266
    - https://github.com/uploadcare/pillow-simd
    """
    died = torch_import is not None and torch_import.signal == "SIGILL"
    flags = cpu.flags if cpu is not None else ()
    if not died and not flags and torch_import is None:
        message = "cpu: its instruction sets are not known"
        raise CannotJudge(message)
    model = cpu.model if cpu is not None and cpu.model else "this processor"
    if died:
        yield Finding(
            severity=Severity.BREAKS,
            summary=f"import torch dies of an illegal instruction on {model}",
            evidence={"signal": "SIGILL", "flags": list(flags)},
            remedies=_remedies(),
        )
        return
    for who, what in lacking(flags, torch, packages, images) if flags else ():
        numpy = who.startswith("numpy")
        yield Finding(
            severity=Severity.BREAKS if numpy else Severity.RISKS,
            summary=f"{who} needs {what}, which {model} does not have",
            evidence={"flags": list(flags)},
            confidence=Confidence.LIKELY,
            remedies=(
                *(
                    [_pip.install(interpreter, "Install an older numpy", "numpy<2.4")]
                    if numpy
                    else []
                ),
                *_remedies(),
            ),
        )


def _remedies() -> tuple[Remedy, ...]:
    return (
        _library_words.by_hand(
            "In a virtual machine, give it the host's processor type "
            "(QEMU: -cpu host; libvirt: host-passthrough)",
            Place.LAUNCHER,
        ),
        _library_words.by_hand(
            "Run on a newer processor, or build the package on this one", Place.LAUNCHER
        ),
    )
