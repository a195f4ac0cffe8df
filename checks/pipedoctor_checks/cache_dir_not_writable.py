"""PDR714: can libraries keep their caches?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
)
from pipedoctor.facts import PathFact, Paths, Site
from pipedoctor.remedy import Lasts, Place, Remedy, environment, fitting
from pipedoctor_checks._places import elsewhere


@check("PDR714", "A cache folder cannot be written")
def cache_dir_not_writable(paths: Paths, site: Site | None, /) -> Findings:
    """
    See whether each cache folder can be written, or made where it is missing.

    ## Why it hurts

    Data sets, weights and compiled kernels are kept in caches. A library that cannot
    write its own fails in the middle of a job (`Read-only file system`, `Permission
    denied`), or quietly does the same work again in every process.

    ## How it is judged

    The default (`$XDG_CACHE_HOME` or `~/.cache`) and every folder that a variable names
    (`HF_HOME`, `TORCH_HOME`, `TRITON_CACHE_DIR` ...). Rights and read-only mounts
    decide; nothing is written to find out. A cache that is only read may well be
    read-only: so this is likely, not certain.

    ## Sources

    - https://github.com/pytorch/torchtitan/pull/4006
    - https://github.com/open-mmlab/mim/issues/240
    - https://specifications.freedesktop.org/basedir-spec/latest/
    """
    caches = [e for e in paths.of("cache") if e.writable is not None or _shut(e)]
    if not caches:
        reason = "no cache folder could be examined"
        raise CannotJudge(reason)
    for entry in caches:
        if not entry.writable:
            yield _finding(entry, paths, site)


def _shut(entry: PathFact) -> bool:
    return entry.error_code in {"EACCES", "EPERM"}


def _finding(entry: PathFact, paths: Paths, site: Site | None) -> Finding:
    default = entry.named_by in {"default", ""}
    names = ["XDG_CACHE_HOME"] if default else entry.named_by.split(", ")
    better = elsewhere(paths, entry)
    remedies = [_ownership(entry)]
    if better:
        folder = f"{better.path.rstrip('/')}/cache"
        values = dict.fromkeys(names, folder)
        remedies = [*environment(f"Keep the cache in {folder}", **values), *remedies]
    why = entry.why_not_writable or entry.error
    name = entry.path if default else f"{entry.named_by}={entry.path}"
    return Finding(
        severity=Severity.RISKS,
        confidence=Confidence.LIKELY,
        summary=f"{name} cannot be written: {why}",
        evidence={"path": entry.path, "named_by": entry.named_by, "why": why},
        remedies=fitting(site.habitat if site else None, *remedies),
    )


def _ownership(entry: PathFact) -> Remedy:
    return Remedy(
        title=f"Or let the job's user own {entry.path}, on a writable file system"
        " (in a container: a volume; in a pod: emptyDir with fsGroup)",
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        advice=True,
    )
