"""PDR706: does a logout delete the shared memory of the job?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Lasts,
    Put,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import Loader, Logind

DROP_IN_FILE = "/etc/systemd/logind.conf.d/90-pipedoctor.conf"


@check("PDR706", "A logout deletes the shared memory of running jobs", fix="machine")
def systemd_removeipc(logind: Logind, loader: Loader | None, /) -> Findings:
    """
    See whether systemd-logind removes this user's shared memory at the last logout.

    ## Why it hurts

    With `RemoveIPC=yes` the end of a user's last session unlinks all of the user's
    files in /dev/shm, even if a job in tmux or under nohup is still running. Hours
    later it fails with `could not unlink the shared memory file /torch_...` or a
    `FileNotFoundError` in `SemLock._rebuild`. Jobs with the start methods spawn or
    forkserver, the sharing strategy `file_system` or `multiprocessing.shared_memory`
    are affected; with fork the names are mostly gone before.

    ## How it is judged

    logind runs, RemoveIPC is in force, the user is not a system user and does not
    linger, and the process is in the scope of a login session. It is a note; it is a
    risk if the session is remote and a job with workers is known. Systemd's default is
    yes; some distributions build it differently and document that in the comments of
    logind.conf. If neither is known, nothing is reported.

    ## Sources

    - https://www.freedesktop.org/software/systemd/man/latest/logind.conf.html
    - https://www.postgresql.org/docs/current/kernel-resources.html
    - https://wiki.postgresql.org/wiki/Systemd
    - https://github.com/systemd/systemd/issues/2039
    - https://github.com/systemd/systemd/issues/2324
    """
    if not logind.running or logind.system_user or logind.linger:
        return
    if not logind.in_session:
        return
    if logind.remove_ipc is None or logind.uid is None:
        message = "logind: RemoveIPC as built into this distribution is not known"
        raise CannotJudge(message)
    if not logind.remove_ipc:
        return
    job = loader is not None and loader.num_workers != 0
    likely = bool(job and logind.remote)
    yield Finding(
        severity=Severity.RISKS if likely else Severity.NOTE,
        confidence=Confidence.POSSIBLE,
        summary="the end of this session deletes the user's files in /dev/shm (RemoveIPC=yes)",
        evidence={
            "logind.remove_ipc": True,
            "logind.remove_ipc_source": logind.remove_ipc_source,
            "logind.uid": logind.uid,
            "logind.linger": logind.linger,
            "logind.remote": logind.remote,
        },
        remedies=(_enable_linger(str(logind.uid)), _disable_removal()),
    )


def _enable_linger(uid: str) -> Remedy:
    return Remedy(
        title="Enable lingering for the user, so that a logout does not end the last session",
        argv=("loginctl", "enable-linger", uid),
        undo=("loginctl", "disable-linger", uid),
        verify=("loginctl", "show-user", uid, "--property=Linger"),
        lasts=Lasts.ALWAYS,
        root=True,
        advice=True,  # needs a running logind, which no test of ours has
    )


def _disable_removal() -> Remedy:
    text = "[Login]\nRemoveIPC=no\n"
    return Remedy(
        title="Alternatively disable it for all users, from the next boot on",
        snippet=f"# {DROP_IN_FILE}\n{text}",
        puts=(Put(path=DROP_IN_FILE, content=text),),
        lasts=Lasts.ALWAYS,
        root=True,
        advice=True,
    )
