"""PDR815: are cuDNN libraries of several versions on the linker's search path?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Libraries, Library
from pipedoctor.versions import parse_version
from pipedoctor_checks._shared.advice import advise_user

_OWN_SEARCH_PATHS = ("DT_RPATH", "DT_RUNPATH")
"""What torch's own files require: the wheels' cuDNN; others are then unused."""


@check("PDR815", "Several versions of cuDNN are installed", after=("PDR814",))
def multiple_cudnn_versions(libraries: Libraries, /) -> Findings:
    """
    Compare the versions of all cuDNN libraries that could be loaded.

    ## Why it hurts

    cuDNN is a set of libraries that load each other by name. If two versions can be
    found, one part may come from the first and the next from the second: the job fails
    with `CUDNN_STATUS_VERSION_MISMATCH` or `CUDNN_STATUS_NOT_INITIALIZED`, or an
    extension runs with a cuDNN other than the one it was built for.

    ## How it is judged

    Every candidate outside torch's own folders counts, with its sublibraries; copies of
    one version count as one, wherever they are. `libcudnn.so.8` alone may be any 8.x:
    only numbers that cannot be the same version differ. Static libraries are never
    loaded. If torch uses the cuDNN of its own environment, the others are unused.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/188892
    - https://github.com/pytorch/pytorch/issues/185512
    """
    found = libraries.find_candidates("libcudnn")
    if not found:
        reason = "no cuDNN was found"
        raise CannotJudge(reason)
    others = [entry for entry in found if not _is_private_copy(entry)]
    versions = _distinct_versions(others)
    taken = any(entry.chosen and _is_private_copy(entry) for entry in found)
    if taken or len(versions) < 2:  # noqa: PLR2004  (one is as it should be)
        return
    yield Finding(
        severity=Severity.RISKS,
        summary=f"cuDNN {' and '.join(versions)} are both installed"
        if len(versions) == 2  # noqa: PLR2004  (of two one says both)
        else f"cuDNN {', '.join(versions)} are all installed",
        evidence={"versions": versions, "paths": _example_paths(others)},
        confidence=Confidence.LIKELY,
        remedies=(_REMEDY,),
    )


def _is_private_copy(entry: Library) -> bool:
    return entry.bundled or entry.found_by in _OWN_SEARCH_PATHS


def _distinct_versions(entries: list[Library]) -> list[str]:
    """Return distinct versions; one that is only less precise is the same."""
    known_versions = {entry.version for entry in entries if parse_version(entry.version)}
    kept = [
        version
        for version in known_versions
        if not any(other.startswith(f"{version}.") for other in known_versions)
    ]
    return sorted(kept, key=parse_version)


def _example_paths(entries: list[Library]) -> list[str]:
    """The first file of each version."""
    first = {entry.version: entry.path for entry in reversed(entries)}
    return sorted(path for version, path in first.items() if version)


_REMEDY = advise_user(
    "Keep one cuDNN on the linker's search path: remove the folders of the others from"
    " LD_LIBRARY_PATH and /etc/ld.so.conf.d, or remove their packages"
)
