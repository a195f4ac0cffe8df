"""PDR714: can libraries keep their caches?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
    select_remedies,
)
from pipedoctor.facts import PathFact, Paths, Site
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.storage._paths_by_role import move_caches


@check("PDR714", "A cache folder is not writable")
def cache_dir_not_writable(paths: Paths, site: Site | None, /) -> Findings:
    """
    See whether each cache folder is writable, or can be created if it is missing.

    ## Why it hurts

    Datasets, weights and compiled kernels are stored in caches. A library that cannot
    write its cache fails in the middle of a job (`Read-only file system`, `Permission
    denied`), or silently repeats the same work in every process.

    ## How it is judged

    The default (`$XDG_CACHE_HOME` or `~/.cache`) and every folder set by a variable
    (`HF_HOME`, `TORCH_HOME`, `TRITON_CACHE_DIR` ...) are examined. Permissions and
    read-only mounts decide; nothing is written as a test. A cache that is only read may
    well be read-only, so this is likely, not certain.

    ## Sources

    - https://github.com/pytorch/torchtitan/pull/4006
    - https://github.com/open-mmlab/mim/issues/240
    - https://specifications.freedesktop.org/basedir-spec/latest/
    """
    caches = [e for e in paths.find_roles("cache") if e.writable is not None or _is_denied(e)]
    if not caches:
        reason = "no cache folder could be examined"
        raise CannotJudge(reason)
    ill = [entry for entry in caches if not entry.writable]
    for entry in ill:
        yield _report_cache_dir(entry, ill, paths, site)


def _is_denied(entry: PathFact) -> bool:
    return entry.error_code in {"EACCES", "EPERM"}


def _report_cache_dir(
    entry: PathFact, ill: list[PathFact], paths: Paths, site: Site | None
) -> Finding:
    """All are moved at once: of a line for each, only the first would be typed."""
    default = entry.named_by in {"default", ""}
    remedies = (*move_caches(paths, ill), _advise_ownership(entry))
    why = entry.why_not_writable or entry.error
    name = entry.path if default else f"{entry.named_by}={entry.path}"
    return Finding(
        severity=Severity.RISKS,
        confidence=Confidence.LIKELY,
        summary=f"{name} is not writable: {why}",
        evidence={"path": entry.path, "named_by": entry.named_by, "why": why},
        remedies=select_remedies(site.launcher if site else None, *remedies),
    )


def _advise_ownership(entry: PathFact) -> Remedy:
    return advise_launch(
        f"Alternatively make the job's user the owner of {entry.path}, on a writable file"
        " system (in a container: a volume; in a pod: emptyDir with fsGroup)"
    )
