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

APPENDED = len("/pymp-12345678/listener-12345678")


@check("PDR715", "TMPDIR is too long for the sockets of multiprocessing")
def tmpdir_path_too_long(
    paths: Paths, site: Site | None, /, *, socket_bytes: int = 107
) -> Findings:
    """
    Count the bytes of TMPDIR and of what multiprocessing appends to it.

    ## Why it hurts

    Workers hand tensors over through a socket below TMPDIR. A socket's path has room
    for 107 bytes; a longer one fails with `OSError: AF_UNIX path too long`, and the
    DataLoader waits for ever for a batch that nobody could send.

    ## How it is judged

    Python appends `/pymp-XXXXXXXX/listener-XXXXXXXX`, 32 bytes: the whole must fit in
    `socket_bytes`. Late releases of Python 3.13 and 3.14 fall back to `/tmp` of their
    own accord: so this is likely, not certain.

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
        if length + APPENDED > socket_bytes:
            yield _finding(entry, length, socket_bytes - APPENDED, site)


def _finding(entry: PathFact, length: int, most: int, site: Site | None) -> Finding:
    remedies = environment("Use a shorter folder", TMPDIR="/tmp")
    return Finding(
        severity=Severity.BREAKS,
        confidence=Confidence.LIKELY,
        summary=f"{entry.named_by} has {length} bytes, sockets below it have room"
        f" for {most}: {shlex.quote(entry.path)}",
        evidence={"path": entry.path, "bytes": length, "most": most},
        remedies=fitting(site.habitat if site else None, *remedies),
    )
