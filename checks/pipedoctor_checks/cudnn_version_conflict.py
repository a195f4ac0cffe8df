"""PDR814: would parts of different cuDNNs be loaded together, or one too old?"""

import re

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Libraries, TorchBuild, TorchImport
from pipedoctor.versions import numbers, reaches, series
from pipedoctor_checks import _cudnn, _library_words

_COMPLAINT = re.compile(
    r"cuDNN version incompatibility|SUBLIBRARY_VERSION_MISMATCH"
    r"|Runtime version .{0,40} not compatible"
)


@check("PDR814", "The cuDNN that would be loaded is not the one torch was built for")
def cudnn_version_conflict(
    libraries: Libraries | None,
    torch: TorchBuild | None,
    torch_import: TorchImport | None,
    interpreter: Interpreter | None,
    /,
) -> Findings:
    """
    Follow the search for cuDNN and its parts, and compare what would be loaded.

    ## Why it hurts

    cuDNN is one library in eight parts that refuse to work together across versions:
    the first convolution raises `CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH`. torch
    itself refuses a cuDNN that is older than the one it was compiled against.

    ## How it is judged

    By the files that the linker would take for `libcudnn` and for the parts that
    cuDNN opens by name, with the place that each comes from. Different versions among
    them break; so does one below what torch pins. torch 2.12 and 2.13 pin cuDNN 9.20,
    which opens `libcudnn_engines_tensor_ir` without bringing it: a system's cuDNN of
    9.23 or newer is then mixed in. Versions that no file name and no package tells are
    not compared. An error text of the import that says so needs no comparison.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/188892
    - https://github.com/pytorch/pytorch/pull/80877
    - https://man7.org/linux/man-pages/man8/ld.so.8.html
    """
    said = f"{torch_import.error} {torch_import.cuda_error}" if torch_import else ""
    complained = bool(_COMPLAINT.search(said))
    parts = libraries.chosen("libcudnn") if libraries is not None else ()
    if libraries is None and not complained:
        message = "libraries: not known, and the import says nothing of cuDNN"
        raise CannotJudge(message)
    wanted = _cudnn.pinned(torch)
    kinds = sorted({p.version for p in parts if p.version}, key=numbers)
    stray = _cudnn.stray(parts)
    if stray is not None:
        summary = (
            f"{_library_words.told(stray)} from "
            f"{_library_words.come_by(stray.found_by)} would be loaded together with "
            f"cuDNN {_cudnn.main_version(parts)}"
        )
    elif kinds and wanted and not reaches(series(kinds[0]), series(wanted)):
        summary = f"cuDNN {kinds[0]} would be loaded, torch was built for {wanted}"
        stray = next(p for p in parts if p.version == kinds[0])
    elif complained:
        summary = "torch refuses the cuDNN that was loaded"
    else:
        return
    yield Finding(
        severity=Severity.BREAKS,
        summary=summary,
        evidence={
            "loaded": {p.soname: f"{p.path} ({p.found_by})" for p in parts},
            "pinned": wanted,
            "said": said.strip(),
        },
        confidence=Confidence.CERTAIN if complained else Confidence.LIKELY,
        remedies=tuple(_cudnn.remedies(torch, interpreter, stray)),
    )
