"""PDR843: would LLVM's and Intel's OpenMP be loaded together?"""

import re

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import Interpreter, Libraries, Library, TorchImport, Variables
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.advice import advise_launch, advise_user

_DUPLICATE_MESSAGE = compile_lazily(
    r"OMP: (?:Error #15|Hint.{0,80}multiple copies of the OpenMP runtime)"
)
_OTHER_LAYERS = frozenset(("GNU", "TBB", "SEQUENTIAL"))
"""Layers of MKL that do without Intel's OpenMP."""


@check("PDR843", "Two incompatible OpenMP runtimes would be loaded")
def duplicate_openmp_runtime(
    libraries: Libraries | None,
    torch_import: TorchImport | None,
    variables: Variables | None,
    interpreter: Interpreter | None,
    /,
) -> Findings:
    """
    Look for both LLVM's libomp and Intel's libiomp, and for OpenMP's own error.

    ## Why it hurts

    Both runtimes start their own threads without coordination: programs crash or hang
    in parallel code. On Windows and macOS the second copy stops the program with `OMP:
    Error #15`.

    ## How it is judged

    Only this pair is known to be fatal on Linux. GNU's libgomp in addition to either
    has never been seen to do harm, so it is not reported. Names that lead to one file
    (as conda-forge's do) are one runtime. `KMP_DUPLICATE_LIB_OK=TRUE` silences the
    error, but does not solve the problem. Where MKL brings Intel's,
    `MKL_THREADING_LAYER` chooses another; it has no effect on other files.

    ## Sources

    - https://github.com/joblib/threadpoolctl/blob/master/multiple_openmp.md
    """
    if torch_import is not None and _DUPLICATE_MESSAGE.search(torch_import.error):
        yield Finding(
            severity=Severity.BREAKS,
            summary="importing torch loads a second copy of the OpenMP runtime",
            evidence={"said": torch_import.error},
            remedies=(_use_one_source(interpreter),),
        )
        return
    if libraries is None:
        raise CannotJudge(lacks=Libraries)
    llvm, intel = _find_loaded(libraries, "libomp"), _find_loaded(libraries, "libiomp5")
    if llvm is None or intel is None or llvm.real_path == intel.real_path:
        return
    layer = variables.values.get("MKL_THREADING_LAYER", "") if variables else ""
    by_mkl = "mkl" in intel.wanted_by.lower()
    if by_mkl and layer.upper() in _OTHER_LAYERS:
        return
    yield Finding(
        severity=Severity.RISKS,
        summary=f"{llvm.soname} (LLVM) and {intel.soname} (Intel) would be loaded into one process",
        evidence={
            llvm.soname: f"{llvm.real_path}, for {llvm.wanted_by}",
            intel.soname: f"{intel.real_path}, for {intel.wanted_by}",
            "MKL_THREADING_LAYER": layer,
        },
        confidence=Confidence.LIKELY,
        remedies=(*([_use_gnu_openmp()] if by_mkl else []), _use_one_source(interpreter)),
    )


def _find_loaded(libraries: Libraries, stem: str) -> Library | None:
    """The runtime that would be loaded; ``libomp`` is not ``libompi``."""
    names = re.compile(rf"{stem}(?:[-.][\w.-]*)?\.so[\d.]*")
    chosen = libraries.find_chosen(stem)
    return next((entry for entry in chosen if names.fullmatch(entry.soname)), None)


def _use_gnu_openmp() -> Remedy:
    line = "export MKL_THREADING_LAYER=GNU"
    return advise_launch("Let MKL use GNU's OpenMP", snippet=line)


def _use_one_source(place: Interpreter | None) -> Remedy:
    conda = place is not None and place.kind == "conda"
    return advise_user(
        "Install numpy, torch and their dependencies from one channel"
        if conda
        else "Install numpy, torch and MKL from one source: all pip, or all conda"
    )
