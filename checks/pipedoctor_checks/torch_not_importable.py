"""PDR830: can the examined interpreter import torch?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Site, TorchBuild, TorchImport
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.units import seconds

ABSENT = "No module named 'torch'"


@check(
    "PDR830",
    "torch cannot be imported",
    after=(
        "PDR835",
        "PDR834",
        "PDR813",
        "PDR814",
        "PDR841",
        "PDR844",
        "PDR845",
        "PDR860",
        "PDR861",
    ),
)
def torch_not_importable(
    torch_import: TorchImport,
    torch: TorchBuild | None,
    interpreter: Interpreter | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Read how `import torch` ended in a process of its own.

    ## Why it hurts

    The job ends at its first line.

    ## How it is judged

    The examined interpreter imported torch with the caller's environment, in a process
    of its own: an exception, a signal (SIGILL is a processor that lacks instructions,
    SIGSEGV mostly a library of another version) or no end at all. That torch is
    not installed at all is only a note: perhaps another environment was meant.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/windows.html#import-error
    - https://pytorch.org/get-started/locally/
    """
    if torch_import.ok:
        return
    python = (interpreter.executable if interpreter else "") or "python"
    if torch is None and ABSENT in torch_import.error:
        yield Finding(
            severity=Severity.NOTE,
            summary=f"torch is not installed in {python}",
            evidence={"error": torch_import.error},
        )
        return
    windows = site is not None and site.system == "windows"
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"import torch {_how(torch_import)}",
        evidence={
            "error": torch_import.error,
            "signal": torch_import.signal,
            "python": python,
        },
        remedies=(_trace(python), *((_RUNTIME,) if windows else ())),
    )


def _how(outcome: TorchImport) -> str:
    if outcome.hang is not None:
        return f"did not end within {seconds(outcome.hang.seconds)}"
    if outcome.signal:
        return f"ended with {outcome.signal}"
    return f"fails: {outcome.error}" if outcome.error else "fails"


def _trace(python: str) -> Remedy:
    return Remedy(
        title="See where it fails; if no other finding names the reason, install "
        "torch anew in an empty environment",
        argv=(python, "-X", "faulthandler", "-c", "import torch"),
        lasts=Lasts.ALWAYS,
        advice=True,
    )


_RUNTIME = Remedy(
    title="Install the Visual C++ redistributable that torch's libraries need",
    lasts=Lasts.ALWAYS,
    advice=True,
)
