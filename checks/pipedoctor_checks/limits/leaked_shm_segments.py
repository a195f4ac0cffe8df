"""PDR702: does /dev/shm hold files that no process needs any more?"""

from collections.abc import Sequence

from pipedoctor.check import Confidence, Finding, Findings, Lasts, Remedy, Severity, check
from pipedoctor.facts import Segment, Shm
from pipedoctor.units import format_size
from pipedoctor_checks._shared.advice import advise_user

MAX_PATHS = 16


@check("PDR702", "Dead processes have left shared memory behind", fix="machine")
def leaked_shm_segments(shm: Shm, /, *, share: float = 0.1) -> Findings:
    """
    Find segments in /dev/shm whose process is gone.

    ## Why it hurts

    A training run that is killed together with its `torch_shm_manager`, as schedulers
    do, leaves the segments of the sharing strategy `file_system` in /dev/shm. This
    memory is not freed before the next reboot, and a later job finds less space: its
    workers die as if /dev/shm were too small.

    ## How it is judged

    `torch_<pid>_*` is garbage if that process is dead and no process maps it or has it
    open. That is known only if all processes of the machine are visible, and no other
    container shares this /dev/shm. From `share` of its size on it is a risk, below that
    a note; files that hold nothing are not reported. The remedy removes exactly the files
    it lists.

    Names that contain no process ID (`psm_*`, `sem.*`, `mp-*`, `nccl-*`), and all names
    if other containers may own them, are never removed: a process that is about to open
    one by its name does not hold it yet. They are reported from `share` on. If they may
    be needed by another container, which has its own process IDs, or by a process that
    is not visible, it is a note, because their use cannot be determined here.

    ## Sources

    - https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies
    - https://docs.python.org/3/library/multiprocessing.shared_memory.html
    - https://man7.org/linux/man-pages/man5/tmpfs.5.html
    """
    dead = [one for one in shm.segments if _is_garbage(one, shm)]
    if _total_bytes(dead):
        yield _report_leaked(dead, shm, share)
    doubtful = [one for one in shm.segments if one not in dead and _is_doubtful(one)]
    if doubtful and _total_bytes(doubtful) >= share * shm.size:
        yield _report_doubtful(doubtful, shm)


def _is_garbage(segment: Segment, shm: Shm) -> bool:
    ours = shm.here and not shm.shared_with_host
    return ours and segment.owner_alive is False and segment.held is False


def _is_doubtful(segment: Segment) -> bool:
    return segment.held is not True and segment.owner_alive is not True


def _total_bytes(segments: Sequence[Segment]) -> int:
    return sum(one.size for one in segments)


def _collect_evidence(segments: Sequence[Segment], shm: Shm) -> dict[str, int]:
    size = _total_bytes(segments)
    return {"shm.size": shm.size, "segments": len(segments), "bytes": size}


def _summarize(segments: Sequence[Segment], shm: Shm, what: str) -> str:
    one = len(segments) == 1
    count = "1 segment" if one else f"{len(segments)} segments"
    much = f"{format_size(_total_bytes(segments))} of the {format_size(shm.size)}"
    return f"{count} {what} {'holds' if one else 'hold'} {much} of /dev/shm"


def _report_leaked(dead: list[Segment], shm: Shm, share: float) -> Finding:
    size = _total_bytes(dead)
    grave = size >= share * shm.size
    return Finding(
        severity=Severity.RISKS if grave else Severity.NOTE,
        summary=_summarize(dead, shm, "of dead processes"),
        evidence=_collect_evidence(dead, shm),
        remedies=(
            Remedy(
                title=f"Remove the leaked segments (frees {format_size(size)})",
                removes=tuple(one.path for one in dead),
                verify=("df", "-h", "/dev/shm"),
                lasts=Lasts.ALWAYS,
                root=not all(one.own for one in dead),
            ),
        ),
    )


def _report_doubtful(doubtful: list[Segment], shm: Shm) -> Finding:
    blind = _explain_unseen(doubtful, shm)
    unsaid = f"; inconclusive, because {blind}" if blind else ""
    paths = [one.path for one in doubtful[:MAX_PATHS]]
    return Finding(
        severity=Severity.NOTE if blind else Severity.RISKS,
        confidence=Confidence.POSSIBLE if blind else Confidence.LIKELY,
        summary=_summarize(doubtful, shm, "that may be leaked") + unsaid,
        evidence=_collect_evidence(doubtful, shm),
        remedies=(
            advise_user(
                "Find out which processes use them; remove what none of your jobs needs",
                argv=("fuser", "--verbose", *paths),
                root=True,
            ),
        ),
    )


def _explain_unseen(doubtful: Sequence[Segment], shm: Shm) -> str:
    """Why a process that needs them may be invisible; empty: it would be visible."""
    if shm.shared_with_host:
        return "processes of other containers also create files there"
    if not shm.here:
        return "it belongs to other processes than those visible here"
    hidden = any(one.held is None for one in doubtful)
    return "not all processes are visible" if hidden else ""
