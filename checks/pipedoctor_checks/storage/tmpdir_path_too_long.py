"""PDR715: do the sockets that workers share tensors through fit under TMPDIR?"""

import shlex

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
    environment,
    select_remedies,
)
from pipedoctor.facts import PathFact, Paths, Site

APPENDED_BYTES = len("/pymp-12345678/listener-12345678")


@check("PDR715", "TMPDIR is too long for the sockets of multiprocessing")
def tmpdir_path_too_long(
    paths: Paths, site: Site | None, /, *, socket_bytes: int = 107
) -> Findings:
    """
    Count the bytes of TMPDIR and of what multiprocessing appends to it.

    ## Why it hurts

    Workers send tensors through a socket under TMPDIR. The path of a socket is limited
    to 107 bytes; a longer one fails with `OSError: AF_UNIX path too long`, and the
    DataLoader waits forever for a batch that could not be sent.

    ## How it is judged

    Python appends `/pymp-XXXXXXXX/listener-XXXXXXXX`, 32 bytes: the whole path must fit
    in `socket_bytes`. Late releases of Python 3.13 and 3.14 fall back to `/tmp` by
    themselves, so this is likely, not certain.

    ## Sources

    - https://man7.org/linux/man-pages/man7/unix.7.html
    - https://github.com/python/cpython/issues/132124
    - https://github.com/RVC-Project/Retrieval-based-Voice-Conversion-WebUI/issues/165
    """
    places = paths.find_roles("tmp")
    if not places:
        reason = "the temporary folder is not known"
        raise CannotJudge(reason)
    for entry in places:
        length = len(entry.path.rstrip("/").encode())
        if length + APPENDED_BYTES > socket_bytes:
            yield _report_tmpdir(entry, length, socket_bytes - APPENDED_BYTES, site)


def _report_tmpdir(entry: PathFact, length: int, most: int, site: Site | None) -> Finding:
    remedies = environment("Use a shorter path", TMPDIR="/tmp")
    return Finding(
        severity=Severity.BREAKS,
        confidence=Confidence.LIKELY,
        summary=f"{entry.named_by} has {length} bytes, but socket paths under it allow at most"
        f" {most}: {shlex.quote(entry.path)}",
        evidence={"path": entry.path, "bytes": length, "most": most},
        remedies=select_remedies(site.launcher if site else None, *remedies),
    )
