"""PDR702: does /dev/shm hold files that no process needs any more?"""

from collections.abc import Sequence

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Segment, Shm
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.units import human

SHOWN = 16


@check("PDR702", "Dead processes left shared memory behind")
def leaked_shm_segments(shm: Shm, /, *, share: float = 0.1) -> Findings:
    """
    Find segments in /dev/shm whose process is gone.

    ## Why it hurts

    A training run that is killed together with its `torch_shm_manager`, as schedulers
    do it, leaves the segments of the sharing strategy `file_system` in /dev/shm. They
    are memory that nobody frees before the next reboot, and a later job finds less
    room: its workers die as if /dev/shm were too small.

    ## How it is judged

    `torch_<pid>_*` is garbage when that process is dead and no process maps it or
    has it open. That can be said only where all processes of the machine can be
    seen, and no other container shares this /dev/shm. From `share` of its size on it
    is a risk, below that a note. The remedy removes exactly the files it lists.

    Names that tell no process (`psm_*`, `sem.*`, `mp-*`, `nccl-*`), and all names where
    other containers may own them, are never removed: someone who waits to open
    one by its name holds nothing yet. They are mentioned from `share` on; where another
    container, which counts its processes by itself, or a process that cannot be seen
    may need them, it is a note that nobody here can tell.

    ## Sources

    - https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies
    - https://docs.python.org/3/library/multiprocessing.shared_memory.html
    - https://man7.org/linux/man-pages/man5/tmpfs.5.html
    """
    dead = [one for one in shm.segments if _is_garbage(one, shm)]
    if dead:
        yield _leaked(dead, shm, share)
    doubtful = [one for one in shm.segments if one not in dead and _is_doubtful(one)]
    if doubtful and _bytes(doubtful) >= share * shm.size:
        yield _unclear(doubtful, shm)


def _is_garbage(one: Segment, shm: Shm) -> bool:
    ours = shm.here and not shm.shared_with_host
    return ours and one.owner_alive is False and one.held is False


def _is_doubtful(one: Segment) -> bool:
    return one.held is not True and one.owner_alive is not True


def _bytes(segments: Sequence[Segment]) -> int:
    return sum(one.size for one in segments)


def _evidence(segments: Sequence[Segment], shm: Shm) -> dict[str, int]:
    size = _bytes(segments)
    return {"shm.size": shm.size, "segments": len(segments), "bytes": size}


def _say(segments: Sequence[Segment], shm: Shm, what: str) -> str:
    one = len(segments) == 1
    count = "1 segment" if one else f"{len(segments)} segments"
    much = f"{human(_bytes(segments))} of the {human(shm.size)}"
    return f"{count} {what} {'holds' if one else 'hold'} {much} of /dev/shm"


def _leaked(dead: list[Segment], shm: Shm, share: float) -> Finding:
    size = _bytes(dead)
    grave = size >= share * shm.size
    return Finding(
        severity=Severity.RISKS if grave else Severity.NOTE,
        summary=_say(dead, shm, "of dead processes"),
        evidence=_evidence(dead, shm),
        remedies=(
            Remedy(
                title=f"Remove them: {human(size)} come free",
                removes=tuple(one.path for one in dead),
                verify=("df", "-h", "/dev/shm"),
                lasts=Lasts.ALWAYS,
                root=True,
            ),
        ),
    )


def _unclear(doubtful: list[Segment], shm: Shm) -> Finding:
    blind = _blind(doubtful, shm)
    unsaid = f": cannot tell, for {blind}" if blind else ""
    paths = [one.path for one in doubtful[:SHOWN]]
    return Finding(
        severity=Severity.NOTE if blind else Severity.RISKS,
        confidence=Confidence.POSSIBLE if blind else Confidence.LIKELY,
        summary=_say(doubtful, shm, "that may be leaked") + unsaid,
        evidence=_evidence(doubtful, shm),
        remedies=(
            Remedy(
                title="Look who uses them; remove what no job of yours needs",
                argv=("fuser", "--verbose", *paths),
                lasts=Lasts.ALWAYS,
                root=True,
                advice=True,
            ),
        ),
    )


def _blind(doubtful: Sequence[Segment], shm: Shm) -> str:
    """Why a process that needs them may not be seen; empty: it would be."""
    if shm.shared_with_host:
        return "processes of other containers put files there, too"
    if not shm.here:
        return "it is that of other processes than are seen here"
    hidden = any(one.held is None for one in doubtful)
    return "not all processes can be seen" if hidden else ""
