"""`fix --nofile`: a running process, for good, and what a shell must do itself."""

import contextlib
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import Launcher, Site
from pipedoctor.fix.limits import nofile
from pipedoctor.fix.limits.privilege import CAP_SYS_RESOURCE, has_capability
from pipedoctor.fix.plan.plan import FixRefusedError, NoChangeNeeded
from tests.fix.conftest import NOBODY, Ward

pytestmark = pytest.mark.root


@contextlib.contextmanager
def sleeper(soft: int, hard: int, uid: int = 0, enter: tuple[str, ...] = ()) -> Generator[int]:
    """A process that may open so many files."""
    limits = (f"--nofile={soft}:{hard}", "--")
    to = ("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
    become = to if uid else ()
    process = subprocess.Popen([*enter, "prlimit", *limits, *become, "sleep", "60"])
    while Path(f"/proc/{process.pid}/comm").read_text() != "sleep\n":
        pass
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def limits_of(pid: int) -> tuple[int, int]:
    rows = Path(f"/proc/{pid}/limits").read_text().splitlines()
    row = next(row for row in rows if row.startswith("Max open files"))
    soft, hard = row.split()[3:5]
    return int(soft), int(hard)


def test_a_running_process(ward: Ward) -> None:
    with sleeper(256, 1000) as pid:
        done = ward.fix("--nofile", "900", "--pid", str(pid), "--yes")

        assert done.code == 0, done.err
        assert done.out.splitlines()[:3] == [
            f"open files of process {pid}   256 → 900   until the process ends",
            f"  $ prlimit --pid {pid} --nofile=900:1000",
            f"  undo: prlimit --pid {pid} --nofile=256:1000",
        ]
        assert limits_of(pid) == (900, 1000)
        again = ward.fix("--nofile", "900", "--pid", str(pid), "--yes")
        assert "nothing to do" in again.out
        assert ward.states() == ["proved"]
        assert ward.fix("--undo", "--yes").code == 0
        assert limits_of(pid) == (256, 1000)


@pytest.mark.extended
def test_undo_after_its_end_has_nothing_left_to_do(ward: Ward) -> None:
    with sleeper(256, 1000) as pid:
        ward.fix("--nofile", "900", "--pid", str(pid), "--yes")

    assert ward.fix("--undo", "--yes").code == 0
    assert ward.states() == ["undone"]


def test_one_s_own_process_needs_no_root(ward: Ward, nobody: int) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        sleeper(256, 1000, NOBODY) as pid,
    ):
        os.chown(folder, nobody, nobody)
        home = {"HOME": folder}
        args = ("--nofile", "900", "--pid", str(pid), "--yes")
        done = ward.fix(*args, uid=nobody, env=home)

        assert done.code == 0, done.err
        assert limits_of(pid) == (900, 1000)
        assert ward.states() == []
        assert ward.states(uid=nobody, env=home) == ["proved"]


def test_another_s_process_needs_root(ward: Ward, nobody: int) -> None:
    with sleeper(256, 1000) as pid:
        args = ("--nofile", "900", "--pid", str(pid))
        done = ward.fix(*args, "--yes", uid=nobody)

        assert done.code == 1
        assert limits_of(pid) == (256, 1000)
        if not has_capability(CAP_SYS_RESOURCE):
            assert "belongs to another user" in done.err
            return
        line = next(la for la in done.out.splitlines() if la.startswith("  sudo "))
        assert line.endswith(shlex.join((*args, "--yes")))


def test_no_such_process(ward: Ward) -> None:
    done = ward.fix("--nofile", "900", "--pid", str(1 << 22), "--yes")

    assert done.code == 1
    assert f"there is no process {1 << 22}" in done.err


def test_beyond_the_hard_limit(ward: Ward, snapshot: SnapshotAssertion) -> None:
    with sleeper(256, 1000) as pid:
        done = ward.fix("--nofile", "2000", "--pid", str(pid), "--yes")

        if has_capability(CAP_SYS_RESOURCE):
            assert done.code == 0
            assert limits_of(pid) == (2000, 2000)
        else:
            assert done.code == 1
            assert done.err == snapshot
            assert "docker run --ulimit=nofile=2000:2000" in done.out


def test_beyond_the_kernel(ward: Ward) -> None:
    ceiling = Path("/proc/sys/fs/nr_open").read_text().strip()

    done = ward.fix("--nofile", str(int(ceiling) + 1), "--persist", "--yes")

    assert done.code == 1
    assert f"--nofile {ceiling} would work" in done.err


def in_a_shell(ward: Ward, soft: int, *args: str) -> tuple[int, str, str]:
    fix = shlex.join((sys.executable, "-m", "pipedoctor", "fix", *args))
    done = ward.run("sh", "-c", f"ulimit -Sn {soft}; {fix}")
    return done.code, done.out, done.err


def test_a_shell_must_do_it_itself(ward: Ward) -> None:
    code, out, err = in_a_shell(ward, 256, "--nofile", "1024", "--yes")

    assert code == 1
    assert "this shell may open 256 files" in err
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert out.splitlines()[:2] == [
        "  ulimit -n 1024   # in this shell, before the job starts",
        f"  sudo prlimit --pid PID --nofile=1024:{hard}   # for a running job",
    ]
    assert out.splitlines()[2].endswith("fix --nofile 1024 --persist   # permanently")
    assert ward.states() == []


def test_a_shell_that_may_already_is_left_alone(ward: Ward, snapshot: SnapshotAssertion) -> None:
    code, out, _ = in_a_shell(ward, 256, "--nofile", "256", "--yes")

    assert code == 0
    assert out == snapshot
    assert ward.states() == []


def test_for_good(ward: Ward, snapshot: SnapshotAssertion) -> None:
    done = ward.fix("--nofile", "65536", "--persist", "--yes")

    assert done.code == 0, done.err
    limits = ward.etc / "security/limits.d/90-pipedoctor.conf"
    assert limits.read_text().splitlines()[1:] == [
        "* soft nofile 65536",
        "* hard nofile 524288",
        "root soft nofile 65536",
        "root hard nofile 524288",
    ]
    for manager in ("system", "user"):
        drop_in = ward.etc / f"systemd/{manager}.conf.d/90-pipedoctor.conf"
        assert "[Manager]\nDefaultLimitNOFILE=65536:524288\n" in drop_in.read_text()
    assert ward.fix("--nofile", "65536", "--persist").out == snapshot
    assert ward.fix("--undo", "--yes").code == 0
    assert not limits.exists()
    assert not (ward.etc / "systemd/system.conf.d").exists()


def test_a_later_file_would_overrule_it(ward: Ward, snapshot: SnapshotAssertion) -> None:
    later = ward.etc / "security/limits.d/99-site.conf"
    later.write_text("* soft nofile 4096\n")

    done = ward.fix("--nofile", "65536", "--persist", "--yes")

    assert done.code == 1
    assert done.err == snapshot
    assert ward.states() == []


@pytest.mark.extended
def test_both_at_once(ward: Ward) -> None:
    with sleeper(256, 1000, enter=ward.enter) as pid:
        pids = ("--pid", str(pid))
        done = ward.fix("--nofile", "900", *pids, "--shm", "128m", "--yes")

        assert done.code == 0, done.err
        assert limits_of(pid) == (900, 1000)
    assert ward.shm() == 128
    assert ward.states() == ["proved", "proved"]


@pytest.mark.parametrize(
    ("container", "launcher", "line"),
    [
        ("docker", Launcher.DOCKER, "docker run --ulimit=nofile=9000:9000"),
        ("kubernetes", Launcher.KUBERNETES, "command: [sh, -c, 'ulimit -n 9000"),
    ],
)
def test_a_container_is_told_its_launcher(
    container: str, launcher: Launcher, line: str, snapshot: SnapshotAssertion
) -> None:
    site = Site(system="linux", container=container)
    assert site.launcher is launcher

    with pytest.raises(FixRefusedError) as refused:
        nofile.plan_login_limit(9000, 9000, site)

    assert str(refused.value) == snapshot
    assert refused.value.lines[0].startswith(line)
    with pytest.raises(FixRefusedError) as refused:
        nofile.plan_shell_limit(9000, 1024, 9000, site)
    assert refused.value.lines[-1].startswith(line)


def test_without_a_container_no_container_is_started() -> None:
    with pytest.raises(FixRefusedError) as refused:
        nofile.plan_shell_limit(9000, 1024, 4096, Site(system="linux"))

    said = "\n".join(refused.value.lines)
    assert "docker" not in said
    if has_capability(CAP_SYS_RESOURCE):
        assert said.startswith("sudo prlimit --pid $$ --nofile=9000:9000")
    else:
        assert said.startswith("ulimit -n 4096   # the maximum")


def test_unlimited_is_enough() -> None:
    unlimited = nofile.normalise_limit(resource.RLIM_INFINITY)

    done = nofile.plan_shell_limit(9000, unlimited, unlimited, None)

    assert done == NoChangeNeeded("this shell may already open unlimited files")
    assert nofile.parse_limits("256:unlimited") == (256, unlimited)
    assert nofile.owns_process(os.getpid())
    assert not nofile.owns_process(1 << 22)
