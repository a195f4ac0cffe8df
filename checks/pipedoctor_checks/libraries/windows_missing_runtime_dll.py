"""PDR847: does torch lack a Windows runtime library?"""

import re

from pipedoctor.check import (
    Confidence,
    Finding,
    Findings,
    Lasts,
    NotApplicable,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import Interpreter, Site, TorchImport
from pipedoctor.lazy_pattern import compile_lazily

_DLL_ERROR = compile_lazily(r"WinError 126|DLL load failed|fbgemm\.dll|libomp140", re.IGNORECASE)


@check("PDR847", "A runtime library that torch needs may be missing on Windows")
def windows_missing_runtime_dll(
    torch_import: TorchImport,
    site: Site,
    interpreter: Interpreter | None,
    /,
) -> Findings:
    """
    Look for a failed import of torch on Windows with the error of a missing runtime.

    ## Why it hurts

    torch's libraries need the Visual C++ runtime, and in some releases OpenMP's
    `libomp140`, which Windows does not include. The error names a file of torch that
    exists: what is missing is a library that it needs.

    ## How it is judged

    Importing torch failed on Windows with `[WinError 126]` or `DLL load failed`: a
    risk. If a text only shows that it failed (`PyTorch version: N/A`), this is one
    possible reason, which is a note.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/windows.html#import-error
    """
    if site.system != "windows":
        reason = f"this is {site.system}"
        raise NotApplicable(reason)
    if torch_import.ok or "No module named" in torch_import.error:
        return
    told = _DLL_ERROR.search(torch_import.error) is not None
    if not told and not torch_import.error.startswith("PyTorch version:"):
        return
    bits = interpreter.bits if interpreter is not None else None
    yield Finding(
        severity=Severity.RISKS if told else Severity.NOTE,
        summary="import torch fails on Windows: "
        + ("a library that it needs is missing" if told else "often because of a missing")
        + ("" if told else " Visual C++ runtime"),
        evidence={"error": torch_import.error, "python.bits": bits},
        confidence=Confidence.LIKELY if told else Confidence.POSSIBLE,
        remedies=(_REMEDY,),
    )


_REMEDY = Remedy(
    title="Install the Visual C++ redistributable of 2015-2022 for x64, then import torch again",
    verify=("python", "-c", "import torch"),
    lasts=Lasts.ALWAYS,
    advice=True,
)
