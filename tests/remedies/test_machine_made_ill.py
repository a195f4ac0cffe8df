"""The illness is made on this machine, the printed remedy is typed, and `check` is quiet."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.remedies.test_typed_lines import AS_ROOT, has_namespaces

pytestmark = [
    pytest.mark.extended,
    pytest.mark.root,
    pytest.mark.skipif(
        os.geteuid() != 0 or not has_namespaces(), reason="no namespace of its own for this user"
    ),
]
BIN = Path(sys.executable).parent
STRANGER = 61_234
INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
HOLD = f"""
import ctypes, os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
os.setgid({STRANGER})
os.setuid({STRANGER})
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(4, 1)  # others of this user may look at it
while libc.inotify_init() >= 0:
    pass
print(os.strerror(ctypes.get_errno()), flush=True)
sys.stdin.readline()
print(libc.inotify_init() >= 0, flush=True)
"""
"""Takes all inotify instances of a user, and tries again when it is asked to."""


def run_shell(script: str, folder: Path, *inside: str) -> str:
    words = [*inside, "bash", "-c", f"{AS_ROOT}{script}"]
    environment = {
        **os.environ,
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    done = subprocess.run(
        words,
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=120,
    )
    return done.stdout + done.stderr


def judge_shell(script: str, folder: Path) -> str:
    """The report of a check: what counts descriptors gives up on a machine that is busy."""
    for _ in range(8):
        report = run_shell(script, folder)
        if "in time" not in report:
            return report
    pytest.skip("this machine is too busy to count inotify instances")


def read_first_line(report: str, name: str) -> str:
    """The first line to type for a finding."""
    found = [one for one in json.loads(report)["findings"] if one["name"] == name]
    assert found, report
    remedies: list[dict[str, Any]] = found[0]["remedies"]
    return str(remedies[0].get("shell") or remedies[0]["snippet"])


def test_a_full_folder_of_temporary_files(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    ill = f"mount -t tmpfs -o size=2m tmpfs {disk}; export TMPDIR={disk}; head -c 3m /dev/zero"
    ill += f" >{disk}/full 2>/dev/null; "
    check = "pipedoctor check --select disk-full --no-redact"
    write = "head -c 1m /dev/zero >$TMPDIR/pipedoctor-written && rm $TMPDIR/pipedoctor-written"

    report = run_shell(f"{ill} {check} --format json", tmp_path, "unshare", "--mount")
    line = read_first_line(report, "disk-full")
    before = run_shell(f"{ill} {write}", tmp_path, "unshare", "--mount")
    after = run_shell(f"{ill} {line}; {write}; {check}", tmp_path, "unshare", "--mount")

    assert line.startswith("export TMPDIR=/")
    assert "No space left on device" in before
    assert "No space left" not in after
    assert f"{disk} is full" not in after


def test_a_full_home_is_freed_by_what_can_be_made_again(tmp_path: Path) -> None:
    home = tmp_path / "my home"
    home.mkdir()
    ill = f"mount -t tmpfs -o size=24m tmpfs '{home}'; export HOME='{home}'; cd '{home}';"
    ill += "unset XDG_CACHE_HOME PIP_CACHE_DIR; mkdir -p .cache/pip .cache/huggingface/hub;"
    ill += "head -c 9m /dev/zero >.cache/pip/a; head -c 9m /dev/zero >.cache/huggingface/hub/b;"
    ill += "head -c 9m /dev/zero >rest 2>/dev/null; "
    check = "pipedoctor check --select disk-full --no-redact"

    report = run_shell(f"{ill} {check} --format json", tmp_path, "unshare", "--mount")
    line = read_first_line(report, "disk-full")
    after = run_shell(
        f"{ill} {line}; {check}; ls .cache/huggingface/hub", tmp_path, "unshare", "--mount"
    )

    assert line == f"rm -rf -- '{home}/.cache/pip'"
    assert "1 healthy" in after
    assert after.endswith("b\n")


SMALL = "mount -t tmpfs -o size=1m{} tmpfs {}"
FULL = f"mkdir c; {SMALL.format('', 'c')}; head -c 2m /dev/zero >c/x 2>/dev/null"
STRICT = (
    "mkdir k; cp /proc/sys/vm/* k/ 2>/dev/null; echo 2 >k/overcommit_memory;"
    "mount --bind k /proc/sys/vm; sed 's/^CommitLimit:.*/CommitLimit: 1000000 kB/;"
    "s/^Committed_AS:.*/Committed_AS: 990000 kB/' /proc/meminfo >m; mount --bind m /proc/meminfo"
)
OTHERS = "o/lib/python3.9/site-packages"
LEAK = (
    f"mkdir -p {OTHERS}/numpy {OTHERS}/numpy-1.0.0.dist-info; touch {OTHERS}/numpy/__init__.py;"
    f"printf 'Name: numpy\\nVersion: 1.0.0\\n' >{OTHERS}/numpy-1.0.0.dist-info/METADATA;"
    f"export PYTHONPATH=$PWD/{OTHERS}"
)
READ_ONLY = f"mkdir r; {SMALL.format(',ro', 'r')}"


@pytest.mark.parametrize(
    ("name", "ill", "job"),
    [
        (
            "shm-too-small",
            "mount -t tmpfs -o size=64m tmpfs /dev/shm",
            "--workers 8 --batch-bytes 19M",
        ),
        ("fd-limit-exhausted", "ulimit -Sn 64", "--workers 8"),
        ("disk-full", f"{FULL}; export HF_HOME=$PWD/c", ""),
        ("disk-full", f"{FULL}; export XDG_CACHE_HOME=$PWD/c", ""),
        ("cache-dir-not-writable", f"{READ_ONLY}; export TORCH_HOME=$PWD/r/t", ""),
        ("cache-dir-not-writable", f"{READ_ONLY}; export XDG_CACHE_HOME=$PWD/r", ""),
        ("tmpdir-path-too-long", f"mkdir {'a' * 95}; export TMPDIR=$PWD/{'a' * 95}", ""),
        ("thread-oversubscription", "export OMP_NUM_THREADS=64", "--workers 4"),
        ("thread-oversubscription", "export MKL_NUM_THREADS=48", "--workers 4"),
        ("cpu-affinity-restricted", "taskset -cp 0 $$ >/dev/null", "--workers 4"),
        ("map-count-low", "mkdir k; echo 1000 >k/max_map_count; mount --bind k /proc/sys/vm", ""),
        ("overcommit-refuses", STRICT, "--workers 4"),
        ("pythonpath-leak", LEAK, ""),
    ],
)
def test_a_fault_of_the_shell_is_gone(name: str, ill: str, job: str, tmp_path: Path) -> None:
    check = f"pipedoctor check --quick --select {name} {job} --no-redact --format json"
    folders = [tmp_path / "before", tmp_path / "after"]
    for folder in folders:
        folder.mkdir()

    before = run_shell(f"{ill}; {check}", folders[0], "unshare", "--mount")
    if json.loads(before)["findings"] == [] and name == "cpu-affinity-restricted":
        pytest.skip("there is but one CPU here")
    line = read_first_line(before, name).replace(str(folders[0]), str(folders[1]))
    after = run_shell(f"{ill}; {line} >/dev/null; {check}", folders[1], "unshare", "--mount")

    assert [one["name"] for one in json.loads(after)["findings"]] == []


@pytest.mark.parametrize(
    ("name", "ill", "job"),
    [
        (
            "shm-too-small",
            "mount -t tmpfs -o size=64m tmpfs /dev/shm",
            "--workers 8 --batch-bytes 19M",
        ),
        ("map-count-low", "mkdir k; echo 1000 >k/max_map_count; mount --bind k /proc/sys/vm", ""),
    ],
)
def test_a_fault_is_fixed_and_comes_back(name: str, ill: str, job: str, tmp_path: Path) -> None:
    report = f"pipedoctor check --quick --select {name} {job}"
    check = f"if {report} | grep -q {name}; then echo ill; else echo well; fi"
    fix = f"pipedoctor fix {name} {job} --yes; pipedoctor fix --undo --yes"
    script = (
        f"{ill}; {check}; {fix.replace('; ', f' | grep done; {check}; ')} | grep undone; {check}"
    )

    lines = run_shell(script, tmp_path, "unshare", "--mount").splitlines()

    assert [lines[0], lines[2], lines[4]] == ["ill", "well", "ill"], lines
    assert lines[1].startswith("done and proved"), lines
    assert lines[3].startswith("undone and proved"), lines


def test_segments_that_nobody_holds(tmp_path: Path) -> None:
    ill = "mount -t tmpfs -o size=64m tmpfs /dev/shm;"
    ill += "head -c 60m /dev/zero >/dev/shm/torch_4194303_1_1; "
    check = "pipedoctor check --select leaked-shm-segments"
    typed = "yes | script -qec 'pipedoctor fix leaked-shm-segments' /dev/null; ls /dev/shm; "

    before = run_shell(ill + check, tmp_path, "unshare", "--mount")
    after = run_shell(ill + typed + check, tmp_path, "unshare", "--mount")

    assert "$ pipedoctor fix leaked-shm-segments" in before
    assert "torch_4194303_1_1" not in after.rpartition("done and proved")[2]
    assert "PDR702 leaked-shm-segments" not in after.rpartition("done and proved")[2]
    assert "done and proved" in after


@pytest.fixture
def _most_instances() -> Iterator[None]:
    """Put back this limit, which is of the whole machine."""
    if not os.access(INSTANCES, os.W_OK) or not shutil.which("sysctl"):
        pytest.skip("this limit cannot be set here")
    before = INSTANCES.read_text()
    yield
    INSTANCES.write_text(before)


@pytest.mark.usefixtures("_most_instances")
def test_instances_of_inotify_that_are_used_up(tmp_path: Path) -> None:
    user = f"setpriv --reuid={STRANGER} --regid={STRANGER} --clear-groups"
    user += " --inh-caps=+dac_read_search --ambient-caps=+dac_read_search"
    check = f"{user} pipedoctor check --select inotify-limit --format json"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == "Too many open files\n"
            line = read_first_line(judge_shell(check, tmp_path), "inotify-limit")
            after = json.loads(judge_shell(f"{line} >/dev/null; {check}", tmp_path))
            holder.stdin.write("\n")
            holder.stdin.flush()
            works = holder.stdout.readline()
        finally:
            holder.kill()

    assert line.startswith("sudo sysctl -w fs.inotify.max_user_instances=")
    assert after["findings"] == []
    assert works == "True\n"
