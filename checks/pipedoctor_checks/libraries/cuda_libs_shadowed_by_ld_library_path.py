"""PDR813: does LD_LIBRARY_PATH put another CUDA before the environment's own?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Libraries, Library, Site, Variables
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared import library_description

_CUDA_LIBRARIES = (
    "libcublas",
    "libcudart",
    "libcufft",
    "libcupti",
    "libcurand",
    "libcusolver",
    "libcusparse",
    "libnccl",
    "libnvJitLink",
    "libnvrtc",
)


@check("PDR813", "LD_LIBRARY_PATH puts another CUDA before torch's own")
def cuda_libs_shadowed_by_ld_library_path(
    libraries: Libraries, variables: Variables | None, site: Site | None, /
) -> Findings:
    """
    Look for CUDA libraries that LD_LIBRARY_PATH puts before the environment's own.

    ## Why it hurts

    NVIDIA's wheels depend on each other's exact versions. One library from another CUDA
    among them causes `undefined symbol: __nvJitLinkAddData_12_1`, or wrong results if
    no symbol happens to be missing.

    ## How it is judged

    The linker's search is followed file by file. Since torch 1.13 its wheels have a
    DT_RPATH, which takes precedence over LD_LIBRARY_PATH: then the variable does no
    harm and nothing is reported. But a file with a DT_RUNPATH (`libcusparse.so.12`,
    torch 1.12, other packages) searches LD_LIBRARY_PATH first. It is a finding only if
    the environment has the same library and it is not used: a risk if the one used is
    older, or the versions are unknown; a note if it is newer. The same version is not a
    finding, and neither is a CUDA that is the only one installed.

    ## Sources

    - https://man7.org/linux/man-pages/man8/ld.so.8.html
    - https://github.com/pytorch/pytorch/issues/111469
    - https://github.com/pytorch/pytorch/issues/131312
    - https://github.com/pytorch/pytorch/issues/80637
    """
    taken = {
        entry: own
        for entry in libraries.find_chosen(*_CUDA_LIBRARIES)
        if entry.found_by == "LD_LIBRARY_PATH" and not entry.bundled
        if (own := _find_shadowed(libraries, entry)) is not None
    }
    if not taken:
        return
    older = {e: own for e, own in taken.items() if not _is_newer(e, own)}
    shown, own = next(iter((older or taken).items()))
    more = f" and {len(taken) - 1} more" if len(taken) > 1 else ""
    known = bool(shown.version and own.version)
    value = variables.values.get("LD_LIBRARY_PATH", "") if variables else ""
    unwanted = {library_description.library_folder(entry) for entry in taken}
    yield Finding(
        severity=Severity.RISKS if older else Severity.NOTE,
        summary=f"{library_description.format_library(shown)} comes from LD_LIBRARY_PATH, before "
        f"{library_description.format_library(own)} of the environment{more}",
        evidence={
            "taken": {entry.wanted_by: entry.path for entry in taken},
            "passed_over": sorted(entry.path for entry in taken.values()),
        },
        confidence=Confidence.LIKELY if known else Confidence.POSSIBLE,
        remedies=library_description.remove_from_variable(site, "LD_LIBRARY_PATH", value, unwanted),
    )


def _find_shadowed(libraries: Libraries, library: Library) -> Library | None:
    """The environment's own copy, if it is not the one used."""
    for entry in libraries.find_candidates(library.soname):
        same = entry.version and entry.version == library.version
        if entry.bundled and entry.real_path != library.real_path and not same:
            return entry
    return None


def _is_newer(library: Library, own: Library) -> bool:
    return bool(library.version and own.version) and is_at_least(library.version, own.version)
