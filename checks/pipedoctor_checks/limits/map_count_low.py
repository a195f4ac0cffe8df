"""PDR708: may a process map as many pieces of memory as it will share?"""

from pipedoctor.check import CannotJudge, Finding, Findings, NotApplicable, Severity, check, in_code
from pipedoctor.facts import Limits, Site
from pipedoctor_checks._shared.sysctl import set_sysctl


@check("PDR708", "The limit on memory mappings is low", fix="machine")
def map_count_low(
    limits: Limits, site: Site | None, /, *, usual: int = 65530, full: float = 0.8
) -> Findings:
    """
    Compare vm.max_map_count with its default, and with the mappings of a running job.

    ## Why it hurts

    Every tensor that was received from a worker and is still kept is one mapping, and
    so is every file that is opened with mmap. At the limit mmap fails with `Cannot
    allocate memory` although memory is free, which makes the cause hard to find.

    ## How it is judged

    Less than `usual`, the kernel's default, is a note. With `--pid` the mappings of
    that process count: the fraction `full` of the limit is a risk. Without it a usual
    limit says nothing about the job, neither good nor bad.

    ## Sources

    - https://docs.kernel.org/admin-guide/sysctl/vm.html#max-map-count
    - https://man7.org/linux/man-pages/man2/mmap.2.html
    """
    most, maps = limits.max_map_count, limits.maps
    if most is None:
        message = "limits: vm.max_map_count is not known"
        raise CannotJudge(message)
    crowded = maps is not None and maps >= most * full
    if maps is None and most >= usual:
        message = "limits: without --pid the number of mappings of the job is not known"
        raise NotApplicable(message)
    if not crowded and most >= usual:
        return
    words = f"{most} memory mappings are allowed per process; {usual} is usual"
    if crowded:
        words = f"process {limits.pid} has {maps} of {most} memory mappings"
    yield Finding(
        severity=Severity.RISKS if crowded else Severity.NOTE,
        summary=words,
        evidence={"limits.max_map_count": most, "limits.maps": maps},
        remedies=(
            *set_sysctl("vm.max_map_count", most, max(4 * most, 4 * usual), site),
            in_code("Copy what the loop keeps of a batch", "kept.append(x.clone())"),
        ),
    )
