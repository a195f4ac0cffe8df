"""PDR814: would parts of different cuDNNs be loaded together, or one too old?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter, Libraries, TorchBuild, TorchImport
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.versions import get_series, is_at_least, parse_version
from pipedoctor_checks._shared import library_description
from pipedoctor_checks.libraries import _cudnn_copies

_CONFLICT_MESSAGE = compile_lazily(
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

    cuDNN is one library in eight parts that do not work together across versions: the
    first convolution raises `CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH`. torch itself
    rejects a cuDNN that is older than the one it was compiled against.

    ## How it is judged

    By the files that the linker would use for `libcudnn` and for the parts that cuDNN
    opens by name, with the source of each. Different versions among them break the job;
    so does one below torch's pin. torch 2.12 and 2.13 pin cuDNN 9.20, which opens
    `libcudnn_engines_tensor_ir` without containing it: a system's cuDNN of 9.23 or
    newer is then mixed in. Versions that neither a file name nor a package shows are
    not compared. If the import itself reports the mismatch, no comparison is needed.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/188892
    - https://github.com/pytorch/pytorch/pull/80877
    - https://man7.org/linux/man-pages/man8/ld.so.8.html
    """
    error = f"{torch_import.error} {torch_import.cuda_error}" if torch_import else ""
    complained = bool(_CONFLICT_MESSAGE.search(error))
    parts = libraries.find_chosen("libcudnn") if libraries is not None else ()
    if libraries is None and not complained:
        raise CannotJudge(lacks=Libraries)
    wanted = _cudnn_copies.required_version(torch)
    kinds = sorted({p.version for p in parts if p.version}, key=parse_version)
    stray = _cudnn_copies.find_mismatched_part(parts)
    if stray is not None:
        summary = (
            f"{library_description.format_library(stray)} from "
            f"{library_description.describe_source(stray.found_by)} would be loaded "
            f"together with cuDNN {_cudnn_copies.main_version(parts)}"
        )
    elif kinds and wanted and not is_at_least(get_series(kinds[0]), get_series(wanted)):
        summary = f"cuDNN {kinds[0]} would be loaded, but torch was built for {wanted}"
        stray = next(p for p in parts if p.version == kinds[0])
    elif complained:
        summary = "torch rejected the cuDNN that was loaded"
    else:
        return
    yield Finding(
        severity=Severity.BREAKS,
        summary=summary,
        evidence={
            "loaded": {p.soname: f"{p.path} ({p.found_by})" for p in parts},
            "pinned": wanted,
            "said": error.strip(),
        },
        confidence=Confidence.CERTAIN if complained else Confidence.LIKELY,
        remedies=tuple(_cudnn_copies.list_remedies(torch, interpreter, stray)),
    )
