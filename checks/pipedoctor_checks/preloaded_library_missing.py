"""PDR848: is every library of LD_PRELOAD there?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Libraries, Site, Variables
from pipedoctor_checks import _library_words

_FASTER = ("tcmalloc", "jemalloc", "mimalloc", "hoard", "iomp5", "gomp", "dnnl")


@check("PDR848", "A library of LD_PRELOAD is not there, and the linker goes on")
def preloaded_library_missing(
    libraries: Libraries, variables: Variables | None, site: Site | None, /
) -> Findings:
    """
    Search what LD_PRELOAD names as the dynamic linker does.

    ## Why it hurts

    `ERROR: ld.so: object ... cannot be preloaded: ignored` scrolls by, and the job runs
    with the allocator or OpenMP that the preloaded one should have replaced. A
    measurement of such an allocator then measures nothing. Every program that a script
    calls prints the line as well, into whatever reads its errors.

    ## How it is judged

    A name without a slash is searched in LD_LIBRARY_PATH, the linker's cache and the
    default folders, one with a slash is taken as it stands; a file for another
    processor counts as none. An allocator or an OpenMP library slows the job down by
    its absence; of others nobody knows what they were for, so they are a note.

    ## Sources

    - https://man7.org/linux/man-pages/man8/ld.so.8.html
    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """
    gone = [e.soname for e in libraries.missing if e.found_by == "LD_PRELOAD"]
    if not gone:
        return
    slower = any(word in name for name in gone for word in _FASTER)
    value = variables.values.get("LD_PRELOAD", "") if variables else ""
    yield Finding(
        severity=Severity.SLOWS if slower else Severity.NOTE,
        summary=f"LD_PRELOAD names {', '.join(gone)}, which cannot be found: the job"
        " runs without it",
        evidence={"missing": gone, "LD_PRELOAD": value},
        remedies=_library_words.without_variable(site, "LD_PRELOAD", value, set(gone)),
    )
