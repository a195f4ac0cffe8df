"""PDR727: do processes wait while the kernel makes room for huge pages?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Lasts,
    Remedy,
    Severity,
    check,
    select_remedies,
)
from pipedoctor.facts import Memory, Site
from pipedoctor.facts.site import Launcher

_SYSFS_FOLDER = "/sys/kernel/mm/transparent_hugepage"


@check("PDR727", "Processes wait while memory is compacted for huge pages")
def transparent_hugepages(
    memory: Memory, site: Site | None, /, *, stalls: int = 10_000
) -> Findings:
    """
    See whether huge pages are allocated with direct compaction, and whether it occurred.

    ## Why it hurts

    With `enabled` and `defrag` both at `always`, an allocation that finds no huge page
    stops the process until the kernel has compacted memory. A decoder that allocates a
    large buffer for every image can hit this repeatedly. Huge pages themselves are not
    a problem: large tensors gain from them.

    ## How it is judged

    Both settings are `always`, and processes have really waited: `compact_stall` in
    /proc/vmstat has reached `stalls` since boot. It does not show which process waited,
    so this is a note, and only possible. The setting alone is not reported.

    ## Sources

    - https://docs.kernel.org/admin-guide/mm/transhuge.html
    """
    if memory.transparent_hugepages != "always" or memory.hugepage_defrag != "always":
        return
    if memory.compaction_stalls is None:
        message = "memory: /proc/vmstat does not count compact_stall"
        raise CannotJudge(message)
    if memory.compaction_stalls < stalls:
        return
    yield Finding(
        severity=Severity.NOTE,
        confidence=Confidence.POSSIBLE,
        summary=f"processes waited {memory.compaction_stalls} times for memory to be "
        "compacted into huge pages",
        evidence={
            "memory.transparent_hugepages": memory.transparent_hugepages,
            "memory.hugepage_defrag": memory.hugepage_defrag,
            "memory.compaction_stalls": memory.compaction_stalls,
        },
        remedies=select_remedies(
            site.launcher if site else None,
            Remedy(
                title="Switch to compaction in the background",
                argv=("sh", "-c", f"echo defer+madvise > {_SYSFS_FOLDER}/defrag"),
                verify=("cat", f"{_SYSFS_FOLDER}/defrag"),
                lasts=Lasts.BOOT,
                root=True,
                fits=(Launcher.BARE,),
                advice=True,
            ),
        ),
    )
