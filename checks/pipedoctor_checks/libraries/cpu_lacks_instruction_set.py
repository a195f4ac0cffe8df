"""PDR846: do binaries use instructions that this CPU lacks?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import (
    Cpu,
    ImageStack,
    Interpreter,
    Packages,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.libraries._instruction_sets import find_missing_sets


@check("PDR846", "The CPU lacks instructions that a binary uses", after=("PDR830",))
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
    Look for `Illegal instruction`, and for binaries that cannot run on this CPU.

    ## Why it hurts

    The program dies without a Python traceback, at import or at the first operation
    that uses the instruction. In virtual machines the CPU usually supports it, but the
    machine type hides it.

    ## How it is judged

    It is certain if a child process imported torch and died of SIGILL. torch's own
    kernels are chosen at run time, so that a missing AVX2 or AVX-512 only makes them
    slower and is not a finding; builds for ROCm are known to use AVX unconditionally.
    numpy's wheels refuse to start without SSE4.2 from 2.4 on, and a Pillow-SIMD that
    was compiled for AVX2 has no other code. CPU flags that could not be read, as on
    ARM, are not judged.

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
    model = cpu.model if cpu is not None and cpu.model else "this CPU"
    if died:
        yield Finding(
            severity=Severity.BREAKS,
            summary=f"import torch fails with an illegal instruction on {model}",
            evidence={"signal": "SIGILL", "flags": list(flags)},
            remedies=_list_remedies(),
        )
        return
    for who, what in find_missing_sets(flags, torch, packages, images) if flags else ():
        numpy = who.startswith("numpy")
        yield Finding(
            severity=Severity.BREAKS if numpy else Severity.RISKS,
            summary=f"{who} needs {what}, which {model} does not have",
            evidence={"flags": list(flags)},
            confidence=Confidence.LIKELY,
            remedies=(
                *(
                    [pip_command.install(interpreter, "Install an older numpy", "numpy<2.4")]
                    if numpy
                    else []
                ),
                *_list_remedies(),
            ),
        )


def _list_remedies() -> tuple[Remedy, ...]:
    return (
        advise_launch(
            "In a virtual machine, use the host's CPU type (QEMU: -cpu host; libvirt:"
            " host-passthrough)"
        ),
        advise_launch("Run on a newer CPU, or build the package on this one"),
    )
