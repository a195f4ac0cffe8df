"""PDR815: do cuDNN libraries of several versions lie in the linker's way?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Libraries, Library
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.versions import numbers

_OWN = ("DT_RPATH", "DT_RUNPATH")
"""What torch's own files name: the wheels' cuDNN, beside which others lie unused."""


@check("PDR815", "Several versions of cuDNN are installed", after=("PDR814",))
def multiple_cudnn_versions(libraries: Libraries, /) -> Findings:
    """
    Compare the versions of all cuDNN libraries that could be loaded.

    ## Why it hurts

    cuDNN is a set of libraries that load each other by name. Where two versions can be
    found, one part comes from the first and the next from the second: the job ends with
    `CUDNN_STATUS_VERSION_MISMATCH` or `CUDNN_STATUS_NOT_INITIALIZED`, or an extension
    runs with another cuDNN than the one it was built for.

    ## How it is judged

    Every candidate outside of torch's own folders counts, with its sublibraries; those
    of one version are one, wherever they lie. `libcudnn.so.8` alone is every 8.x: only
    numbers that cannot be the same version differ. Static libraries are never loaded.
    Where torch takes the cuDNN of its own environment, the others lie there unused.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/188892
    - https://github.com/pytorch/pytorch/issues/185512
    """
    found = libraries.of("libcudnn")
    if not found:
        reason = "no cuDNN was found"
        raise CannotJudge(reason)
    others = [entry for entry in found if not _own(entry)]
    versions = _versions(others)
    taken = any(entry.chosen and _own(entry) for entry in found)
    if taken or len(versions) < 2:  # noqa: PLR2004  (one is as it should be)
        return
    yield Finding(
        severity=Severity.RISKS,
        summary=f"cuDNN {' and '.join(versions)} are both installed"
        if len(versions) == 2  # noqa: PLR2004  (of two one says both)
        else f"cuDNN {', '.join(versions)} are all installed",
        evidence={"versions": versions, "paths": _examples(others)},
        confidence=Confidence.LIKELY,
        remedies=(_REMEDY,),
    )


def _own(entry: Library) -> bool:
    return entry.bundled or entry.found_by in _OWN


def _versions(entries: list[Library]) -> list[str]:
    """Those that differ; one that only says less than another is the same."""
    said = {entry.version for entry in entries if numbers(entry.version)}
    kept = [
        version
        for version in said
        if not any(other.startswith(f"{version}.") for other in said)
    ]
    return sorted(kept, key=numbers)


def _examples(entries: list[Library]) -> list[str]:
    """Of each version the first file."""
    first = {entry.version: entry.path for entry in reversed(entries)}
    return sorted(path for version, path in first.items() if version)


_REMEDY = Remedy(
    title="Keep one cuDNN in the linker's way: take the folders of the others out of "
    "LD_LIBRARY_PATH and /etc/ld.so.conf.d, or remove their packages",
    lasts=Lasts.ALWAYS,
    advice=True,
)
