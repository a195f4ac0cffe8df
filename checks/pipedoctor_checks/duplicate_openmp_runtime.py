"""PDR843: would LLVM's and Intel's OpenMP be loaded together?"""

import re

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Libraries, Library, TorchImport, Variables
from pipedoctor.remedy import Place, Remedy
from pipedoctor_checks import _library_words

_COMPLAINT = re.compile(
    r"OMP: (?:Error #15|Hint.{0,80}multiple copies of the OpenMP runtime)"
)


@check("PDR843", "Two OpenMP runtimes that cannot live together would be loaded")
def duplicate_openmp_runtime(
    libraries: Libraries | None,
    torch_import: TorchImport | None,
    variables: Variables | None,
    interpreter: Interpreter | None,
    /,
) -> Findings:
    """
    Look for LLVM's libomp beside Intel's libiomp, and for OpenMP's own complaint.

    ## Why it hurts

    Both runtimes start threads of their own and know nothing of each other: programs
    crash or hang in parallel code. On Windows and macOS the second copy stops the
    program with `OMP: Error #15`.

    ## How it is judged

    Only this pair is known to be fatal on Linux. GNU's libgomp beside any of them has
    never been seen to harm, so it is not mentioned. Names that lead to one file (as
    conda-forge's do) are one runtime. `KMP_DUPLICATE_LIB_OK=TRUE` silences the
    complaint, not the illness.

    ## Sources

    - https://github.com/joblib/threadpoolctl/blob/master/multiple_openmp.md
    """
    if torch_import is not None and _COMPLAINT.search(torch_import.error):
        yield Finding(
            severity=Severity.BREAKS,
            summary="importing torch loads a second copy of the OpenMP runtime",
            evidence={"said": torch_import.error},
            remedies=(_one_source(interpreter),),
        )
        return
    if libraries is None:
        message = "libraries: not known, and the import did not complain"
        raise CannotJudge(message)
    llvm, intel = _first(libraries, "libomp"), _first(libraries, "libiomp5")
    if llvm is None or intel is None or llvm.file == intel.file:
        return
    layer = variables.values.get("MKL_THREADING_LAYER", "") if variables else ""
    yield Finding(
        severity=Severity.RISKS,
        summary=f"{llvm.soname} (LLVM) and {intel.soname} (Intel) would be loaded into "
        "one process",
        evidence={
            llvm.soname: f"{llvm.file}, for {llvm.wanted_by}",
            intel.soname: f"{intel.file}, for {intel.wanted_by}",
            "MKL_THREADING_LAYER": layer,
        },
        confidence=Confidence.LIKELY,
        remedies=(_gnu(), _one_source(interpreter)),
    )


def _first(libraries: Libraries, stem: str) -> Library | None:
    """The one that would be loaded; ``libomp`` is not ``libompi``."""
    names = re.compile(rf"{stem}(?:[-.][\w.-]*)?\.so[\d.]*")
    chosen = libraries.chosen(stem)
    return next((entry for entry in chosen if names.fullmatch(entry.soname)), None)


def _gnu() -> Remedy:
    line = "export MKL_THREADING_LAYER=GNU"
    return _library_words.by_hand("Let MKL use GNU's OpenMP", Place.LAUNCHER, line)


def _one_source(place: Interpreter | None) -> Remedy:
    conda = place is not None and place.kind == "conda"
    return _library_words.by_hand(
        "Take numpy, torch and what they need from one channel"
        if conda
        else "Take numpy, torch and MKL from one source: all pip, or all conda"
    )
