"""PDR830: can the examined interpreter import torch?"""

import ntpath
import posixpath

from pipedoctor.check import Finding, Findings, Remedy, Severity, check
from pipedoctor.facts import Interpreter, Site, TorchBuild, TorchImport
from pipedoctor.units import format_seconds
from pipedoctor_checks._shared.advice import advise_user

ABSENT_MESSAGE = "No module named 'torch'"
_FILE = "torch.py"


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
    Check the result of `import torch` in a separate process.

    ## Why it hurts

    The job fails at its first line.

    ## How it is judged

    The examined interpreter imported torch with the caller's environment, in a separate
    process: the result is an exception, a signal (SIGILL means that the CPU lacks
    instructions, SIGSEGV usually a library of another version) or a hang. A file named
    torch.py on the import path hides the package, and should be renamed. If torch is
    not installed at all it is only a note, because another environment may have been
    meant.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/windows.html#import-error
    - https://pytorch.org/get-started/locally/
    """
    if torch_import.ok:
        return
    python = (interpreter.executable if interpreter else "") or "python"
    if torch is None and ABSENT_MESSAGE in torch_import.error:
        yield Finding(
            severity=Severity.NOTE,
            summary=f"torch is not installed in {python}",
            evidence={"error": torch_import.error},
        )
        return
    windows = site is not None and site.system == "windows"
    yield Finding(
        severity=Severity.BREAKS,
        summary=f"import torch {_describe_failure(torch_import)}",
        evidence={
            "error": torch_import.error,
            "signal": torch_import.signal,
            "python": python,
        },
        remedies=_rename_file(torch_import.file, windows=windows)
        or (_trace_import(python), *((_RUNTIME_REMEDY,) if windows else ())),
    )


def _rename_file(file: str, *, windows: bool) -> tuple[Remedy, ...]:
    """What was imported is one file, and torch is a folder."""
    folder, name = ntpath.split(file) if windows else posixpath.split(file)
    if name != _FILE:
        return ()
    title = f"Rename {file}, which is imported instead of torch"
    target = posixpath.join(folder, f"own_{_FILE}")
    return (advise_user(title, argv=() if windows else ("mv", "-n", file, target)),)


def _describe_failure(outcome: TorchImport) -> str:
    if posixpath.basename(outcome.file.replace("\\", "/")) == _FILE:
        return f"finds {outcome.file}, which hides the package"
    if outcome.hang is not None:
        return f"did not finish within {format_seconds(outcome.hang.seconds)}"
    if outcome.signal:
        return f"was ended by {outcome.signal}"
    return f"fails: {outcome.error}" if outcome.error else "fails"


def _trace_import(python: str) -> Remedy:
    return advise_user(
        (
            "Find out where it fails; if no other finding explains it, reinstall torch in an"
            " empty environment"
        ),
        argv=(python, "-X", "faulthandler", "-c", "import torch"),
    )


_RUNTIME_REMEDY = advise_user("Install the Visual C++ redistributable that torch's libraries need")
