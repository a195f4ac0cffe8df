"""The doctor survives the illnesses that it looks for."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.robustness.program import DOCTOR, ENVIRON, doctor, report

STRANGER = "54321"  # a user of whom no other process runs

root = pytest.mark.root
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="root becomes another user")


def limited(*limits: str) -> tuple[str, ...]:
    return ("prlimit", *limits)


def stranger(*limits: str) -> tuple[str, ...]:
    """Another user, who may still read our interpreter wherever it lies."""
    rights = ("--inh-caps=-all,+dac_read_search", "--ambient-caps=+dac_read_search")
    who = (f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups")
    return ("setpriv", *who, *rights, "prlimit", *limits)


# --- too little of everything


@as_root
def test_twenty_four_processes() -> None:
    assert "shm" in report(prefix=stranger("--nproc=24"))["facts"]["known"]


@as_root
def test_one_process() -> None:
    """What can hang is not started and says so; the rest is read and judged."""
    read = report(prefix=stranger("--nproc=1"))

    why = "nothing could be started to read it: Resource temporarily unavailable"
    assert read["facts"]["unknown"]["gpu"] == why
    assert {"shm", "cpu", "limits", "memory"} <= set(read["facts"]["known"])
    assert any(entry["reason"].endswith(why) for entry in read["skipped"])


@pytest.mark.parametrize(
    "most", [12, *(pytest.param(n, marks=pytest.mark.extended) for n in (32, 128))]
)
def test_few_descriptors(most: int) -> None:
    known = report(prefix=limited(f"--nofile={most}"))["facts"]["known"]

    assert {"shm", "cpu", "limits", "memory", "paths"} <= set(known)
    assert known["limits"]["nofile"]["soft"] == most


def test_four_hundred_megabytes_of_memory() -> None:
    known = report(prefix=limited(f"--as={400 << 20}"))["facts"]["known"]

    assert {"shm", "cpu", "limits", "memory"} <= set(known)


@root
def test_no_room_for_temporary_files() -> None:
    script = (
        "mount -t tmpfs -o size=64k tmpfs /mnt;"
        ' dd if=/dev/zero of=/mnt/full bs=1k 2>/dev/null; TMPDIR=/mnt exec "$@"'
    )
    read = report(prefix=("unshare", "-m", "sh", "-c", script, "sh"))

    assert "disk-full" in {entry["name"] for entry in read["findings"]}


@pytest.mark.extended
def test_half_a_cpu(half_a_cpu: Path) -> None:
    script = f'echo $$ > {half_a_cpu}/cgroup.procs; exec "$@"'
    began = time.monotonic()

    read = report(prefix=("sh", "-c", script, "sh"))

    assert time.monotonic() - began < 15
    assert read["facts"]["known"]["cpu"]["quota"]["cpus"] == 0.5


@root
def test_a_proc_that_nobody_can_read() -> None:
    script = 'mount -t tmpfs tmpfs /proc; exec "$@"'

    report(prefix=("unshare", "-m", "sh", "-c", script, "sh"))


@root
def test_a_sys_that_nobody_can_read() -> None:
    script = 'mount -t tmpfs tmpfs /sys; exec "$@"'

    report(prefix=("unshare", "-m", "sh", "-c", script, "sh"))


@root
def test_everything_is_read_only() -> None:
    script = (
        "for at in / /tmp /home /root /var; do"
        " mount --bind $at $at 2>/dev/null; mount -o remount,bind,ro $at; done;"
        " mount -t tmpfs -o ro tmpfs /dev/shm; touch /probe 2>/dev/null && exit 9;"
        ' exec "$@"'
    )

    report(prefix=("unshare", "-m", "sh", "-c", script, "sh"))


# --- an odd environment


@pytest.mark.slow
@pytest.mark.parametrize(
    "environ",
    [
        pytest.param({"LC_ALL": "C", "PYTHONUTF8": "0"}, id="not UTF-8"),
        pytest.param({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, id="ASCII"),
        pytest.param({"LC_ALL": "xx_YY.nonsense"}, id="a locale nobody has"),
        pytest.param({"HOME": "/nonexistent"}, id="no home"),
        pytest.param({"HOME": "/proc"}, id="a home nobody can write to"),
        pytest.param({"TMPDIR": "/nonexistent"}, id="no folder for temporary files"),
        pytest.param({"TERM": "nonsense", "COLUMNS": "0"}, id="a terminal of no kind"),
        pytest.param({"PATH": "/nonexistent"}, id="no programs"),
    ],
)
def test_an_odd_environment(environ: dict[str, str]) -> None:
    report(environ=ENVIRON | environ)
    assert doctor("--quick", environ=ENVIRON | environ).returncode in {0, 1}


@pytest.mark.extended
def test_an_empty_environment() -> None:
    report(environ={})
    assert doctor("--quick", environ={}).returncode in {0, 1}


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    script = f'rmdir {tmp_path}; exec "$@"'

    report(prefix=("sh", "-c", script, "sh"), cwd=tmp_path)


def test_a_python_that_trusts_nobody() -> None:
    program = shutil.which("pipedoctor", path=str(Path(sys.executable).parent))
    assert program is not None

    done = subprocess.run(
        [sys.executable, "-I", program, "check", "--quick", "--format", "json"],
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert json.loads(done.stdout)["schema"] == "pipedoctor.report/1"


# --- what hangs


@root
@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="no /dev/fuse")
@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json"])
def test_data_on_a_server_that_does_not_answer(form: str, tmp_path: Path) -> None:
    """Even a process that no signal can end holds up neither us nor our pipes."""
    stopped = Path(__file__).parents[1] / "checks" / "stopped_fuse.py"
    prefix = ("unshare", "-m", sys.executable, str(stopped), str(tmp_path))
    began = time.monotonic()

    done = doctor("--data", str(tmp_path), "--format", form, prefix=prefix)

    assert time.monotonic() - began < 15
    assert done.returncode == 1
    assert b"path-unresponsive" in done.stdout or b"does not answer" in done.stdout


@root
@pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="no /dev/fuse")
@pytest.mark.parametrize("option", [("--data",), ()], ids=["data", "code"])
def test_the_deadline_holds_whatever_hangs(option: tuple[str, ...], tmp_path: Path) -> None:
    stopped = Path(__file__).parents[1] / "checks" / "stopped_fuse.py"
    prefix = ("unshare", "-m", sys.executable, str(stopped), str(tmp_path))
    began = time.monotonic()

    done = doctor("--deadline", "6", *option, str(tmp_path), prefix=prefix)

    assert time.monotonic() - began < 12
    assert done.returncode == 1
    assert b"does not answer" in b" ".join(done.stdout.split())  # wherever it wraps


@pytest.mark.slow
@root
@pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="no /dev/fuse")
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("check", "--no-config", "--env"), "--env {}: no answer"),
        (("check", "--no-config", "--python"), "--python {}: no answer"),
        (("check", "--no-config", "--from"), "--from {}: cannot be read: no answer"),
        (("explain",), "{}: cannot be read: no answer"),
    ],
)
def test_what_is_named_and_hangs_is_told(
    words: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    stopped = Path(__file__).parents[1] / "checks" / "stopped_fuse.py"
    path = str(tmp_path / "x")
    done = subprocess.run(
        (
            *("unshare", "-m", sys.executable, str(stopped), str(tmp_path)),
            *(*DOCTOR, *words, path),
        ),
        env=dict(ENVIRON),
        check=False,
        timeout=30,
        capture_output=True,
    )

    assert done.returncode == 2, done.stderr
    assert done.stderr.decode().startswith(f"pipedoctor {words[0]}: {named.format(path)}")
    assert done.stderr.count(b"\n") == 1
