"""PDR848: does every library in LD_PRELOAD exist?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Libraries, Site, Variables
from pipedoctor_checks._shared import library_description

_SPEEDUP_LIBRARIES = (
    "tcmalloc",
    "jemalloc",
    "mimalloc",
    "hoard",
    "iomp5",
    "gomp",
    "dnnl",
)


@check("PDR848", "A library in LD_PRELOAD is missing and ignored")
def preloaded_library_missing(
    libraries: Libraries, variables: Variables | None, site: Site | None, /
) -> Findings:
    """
    Search for the libraries in LD_PRELOAD as the dynamic linker does.

    ## Why it hurts

    `ERROR: ld.so: object ... cannot be preloaded: ignored` is printed, and the job runs
    with the allocator or OpenMP that the preloaded library should have replaced. A
    measurement of such an allocator is then invalid. Every program called by a script
    prints the line as well, into whatever reads its stderr.

    ## How it is judged

    A name without a slash is searched for in LD_LIBRARY_PATH, the linker's cache and
    the default folders; one with a slash is used as it is; a file for another CPU
    architecture counts as missing. A missing allocator or OpenMP library slows the job
    down; the purpose of other libraries is unknown, so they are a note.

    ## Sources

    - https://man7.org/linux/man-pages/man8/ld.so.8.html
    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """
    gone = [e.soname for e in libraries.missing if e.found_by == "LD_PRELOAD"]
    if not gone:
        return
    slower = any(word in name for name in gone for word in _SPEEDUP_LIBRARIES)
    value = variables.values.get("LD_PRELOAD", "") if variables else ""
    yield Finding(
        severity=Severity.SLOWS if slower else Severity.NOTE,
        summary=f"LD_PRELOAD names {', '.join(gone)}, which cannot be found: the job runs"
        " without it",
        evidence={"missing": gone, "LD_PRELOAD": value},
        remedies=library_description.remove_from_variable(site, "LD_PRELOAD", value, set(gone)),
    )
