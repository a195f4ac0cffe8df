"""PDR705: can file watchers still watch?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Limits, Site
from pipedoctor_checks._shared.sysctl import set_sysctl

_ERROR_MESSAGES = {
    "watches": "No space left on device",
    "instances": "Too many open files",
}


@check("PDR705", "The inotify limit is used up", fix="machine")
def inotify_limit(limits: Limits, site: Site | None, /, *, full: float = 0.9) -> Findings:
    """
    Compare the inotify limits with their use by this user's processes.

    ## Why it hurts

    TensorBoard, notebooks and editors that run next to the job watch files. If no watch
    is left they fail with `No space left on device`, if no instance is left with `Too
    many open files`, which suggests a full disk, a small /dev/shm or too many
    descriptors instead. A DataLoader itself watches nothing.

    ## How it is judged

    A limit that is used up is a risk, the fraction `full` a note. Only visible
    processes are counted, so those of other containers under the same user are missing.

    ## Sources

    - https://man7.org/linux/man-pages/man7/inotify.7.html
    - https://man.archlinux.org/man/core/man-pages/proc_sys_fs_inotify.5.en
    """
    known = 0
    for what, used, most in (
        ("watches", limits.inotify_watches_used, limits.inotify_watches),
        ("instances", limits.inotify_instances_used, limits.inotify_instances),
    ):
        if used is None or most is None:
            continue
        known += 1
        if used >= most * full:
            yield Finding(
                severity=Severity.RISKS if used >= most else Severity.NOTE,
                summary=f"{used} of {most} inotify {what} are in use; at the limit, programs"
                f" fail with {_ERROR_MESSAGES[what]!r}",
                evidence={
                    f"limits.inotify_{what}": most,
                    f"limits.inotify_{what}_used": used,
                },
                remedies=set_sysctl(f"fs.inotify.max_user_{what}", most, 4 * max(used, most), site),
            )
    if not known:
        message = "limits: inotify's limits or their use could not be read in time"
        raise CannotJudge(message)
