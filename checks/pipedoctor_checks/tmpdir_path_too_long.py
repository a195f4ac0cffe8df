"""PDR715: do the sockets that workers share tensors through fit under TMPDIR?"""

import shlex

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
)
from pipedoctor.facts import PathFact, Paths, Site
from pipedoctor.remedy import environment, fitting

SHORTEST = len("/pymp-12345678/listener-1-0-12345678")
LONGEST = len("/pymp-12345678/listener-4194304-999-12345678")


@check("PDR715", "TMPDIR is too long for the sockets of multiprocessing")
def tmpdir_path_too_long(
    paths: Paths, site: Site | None, /, *, socket_bytes: int = 107
) -> Findings:
    """
    Count the bytes of TMPDIR and of what multiprocessing appends to it.

    ## Why it hurts

    Workers hand tensors over through a socket below TMPDIR. A socket's path has room
    for 107 bytes; a longer one fails with `OSError: AF_UNIX path too long`.

    ## How it is judged

    Python appends `/pymp-XXXXXXXX/listener-PID-N-XXXXXXXX`: 36 bytes at least, 44 when
    PID and N have all their digits. More than `socket_bytes` with the first breaks,
    with the second is a risk. Late releases of Python 3.13 and 3.14 fall back to
    `/tmp` of their own accord: so this is likely, not certain.

    ## Sources

    - https://man7.org/linux/man-pages/man7/unix.7.html
    - https://github.com/python/cpython/issues/132124
    - https://github.com/RVC-Project/Retrieval-based-Voice-Conversion-WebUI/issues/165
    """
    places = paths.of("tmp")
    if not places:
        reason = "the folder for temporary files is not known"
        raise CannotJudge(reason)
    for entry in places:
        length = len(entry.path.rstrip("/").encode())
        if length + LONGEST > socket_bytes:
            surely = length + SHORTEST > socket_bytes
            yield _finding(entry, length, socket_bytes - LONGEST, surely, site)


def _finding(
    entry: PathFact, length: int, most: int, surely: bool, site: Site | None
) -> Finding:
    remedies = environment("Use a shorter folder", TMPDIR="/tmp")
    return Finding(
        severity=Severity.BREAKS if surely else Severity.RISKS,
        confidence=Confidence.LIKELY,
        summary=f"{entry.named_by} has {length} bytes, sockets below it have room"
        f" for {most}: {shlex.quote(entry.path)}",
        evidence={"path": entry.path, "bytes": length, "most": most},
        remedies=fitting(site.habitat if site else None, *remedies),
    )
