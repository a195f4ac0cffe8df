"""A script is run in no process of another container, and not where that is forbidden."""

import os
import sys
from pathlib import Path

import pytest

from pipedoctor.facts import UnreadableError
from pipedoctor.watch.attach.remote_script import OLDEST, refuse_injection, send_script


def write_proc(folder: Path, root: Path) -> Path:
    """A process's folder of /proc, whose root is that folder."""
    (folder / "root").symlink_to(root)
    return folder


def test_a_job_in_another_container_is_refused(tmp_path: Path) -> None:
    proc = write_proc(tmp_path, tmp_path)

    with pytest.raises(UnreadableError, match="start pipedoctor in its container"):
        refuse_injection(7, OLDEST, proc)


def test_a_job_beside_us_is_not_refused(tmp_path: Path) -> None:
    refuse_injection(7, OLDEST, write_proc(tmp_path, Path("/")))


def test_a_root_that_may_not_be_seen_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="PID 7: No such file or directory"):
        refuse_injection(7, OLDEST, tmp_path)


def test_where_remote_debugging_is_disabled_the_reason_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Python says of it is passed on."""

    def refuse(pid: int, script: str) -> None:
        del pid, script
        message = "Remote debugging is not enabled in the remote process"
        raise RuntimeError(message)

    monkeypatch.setattr(sys, "remote_exec", refuse, raising=False)

    with pytest.raises(UnreadableError, match="PID 7: Remote debugging is not enabled"):
        send_script(
            7, sys.version_info[:2], tmp_path / "script.py", Path("/proc") / str(os.getpid())
        )
