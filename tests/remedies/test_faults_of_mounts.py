"""Faults of mounts, memory and leftovers are made here; the first remedy typed ends each."""

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remedies.test_machine_made_ill import read_first_line, run_shell
from tests.remedies.test_typed_lines import has_namespaces

pytestmark = [
    pytest.mark.extended,
    pytest.mark.root,
    pytest.mark.skipif(
        os.geteuid() != 0 or not has_namespaces(), reason="no namespace of its own for this user"
    ),
]
FUSE = Path(__file__).with_name("fuse_folder.py")
MOUNT = f"""
mkdir src m src/data; head -c 300000 /dev/urandom >src/data/a
mount -t tmpfs tmpfs /dev/shm
python {FUSE} $PWD/src $PWD/m fuse.sshfs user@host:/data >log 2>&1 &
for n in $(seq 50); do grep -q mounted log && break; sleep 0.1; done
"""
HUGE_PAGES = """
mkdir k; echo '[always] madvise never' >k/enabled
echo '[always] defer defer+madvise madvise never' >k/defrag
mount --bind k /sys/kernel/mm/transparent_hugepage
sed 's/^compact_stall .*/compact_stall 20000/' /proc/vmstat >v; mount --bind v /proc/vmstat
"""
DEAD = "sh -c 'echo $$'"
LEAKED = f"""
mount -t tmpfs -o size=64m tmpfs /dev/shm
for job in $({DEAD}) $({DEAD}); do
  for n in 0 1; do head -c 9m /dev/zero >/dev/shm/torch_${{job}}_${{n}}_0; done
done
sh -c 'exec 9>/dev/shm/torch_$$_1_0; head -c 5m /dev/zero >&9; exec sleep 60' &
sleep 0.5
"""
END = "\nkill -KILL %1 2>/dev/null; umount -l m 2>/dev/null\n"
FAULTS = {
    "temporary files behind FUSE": (
        "tmpdir-on-network-fs",
        f"{MOUNT}export TMPDIR=$PWD/m",
        "",
        "",
    ),
    "a dataset behind FUSE": (
        "slow-storage",
        MOUNT,
        "--workers 4 --batch-bytes 1M --data $PWD/m/data",
        "--workers 4 --batch-bytes 1M --data /dev/shm/data",
    ),
    "a cache whose daemon hangs": (
        "path-unresponsive",
        f"{MOUNT}export HF_HOME=$PWD/m; kill -STOP %1",
        "",
        "",
    ),
    "huge pages": ("transparent-hugepages", HUGE_PAGES, "", ""),
    "two dead jobs and one that runs": ("leaked-shm-segments", LEAKED, "", ""),
}
"""What is made, what is asked, and what is asked where the remedy moves the data."""


@pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="no FUSE here")
@pytest.mark.parametrize("name", FAULTS)
def test_the_first_remedy_ends_it(name: str, tmp_path: Path) -> None:
    check, fault, job, moved = FAULTS[name]
    ask = f"pipedoctor check --select {check} --no-redact --format json "
    type_it = "line=$(python -c \"import json; print(json.load(open('r'))['findings'][0]"
    type_it += "['remedies'][0]['shell'] or json.load(open('r'))['findings'][0]"
    type_it += "['remedies'][0]['snippet'])\"); eval \"$line\" >&2; "
    script = f"{fault}\n{ask}{job} >r; cat r >before; {type_it}{ask}{moved or job} >after{END}"

    said = run_shell(script, tmp_path, "unshare", "--mount")

    assert read_first_line((tmp_path / "before").read_text(), check), said
    after = json.loads((tmp_path / "after").read_text())
    assert (after["findings"], len(after["healthy"])) == ([], 1), said


def test_a_live_job_keeps_its_segments(tmp_path: Path) -> None:
    script = f"{LEAKED}pipedoctor fix leaked-shm-segments --yes; ls /dev/shm | wc -l{END}"

    said = run_shell(script, tmp_path, "unshare", "--mount")

    assert "done and proved" in said
    assert "4 files removed" in said
    assert said.splitlines()[-1] == "1" or "\n1\n" in said


GROUPS = Path("/sys/fs/cgroup/memory")


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group of this test, of version 1 or 2, with 600 MiB of memory."""
    top = GROUPS if GROUPS.is_dir() else GROUPS.parent
    folder = top / f"pipedoctor-test-{os.getpid()}"
    try:
        folder.mkdir()
        limit = folder / ("memory.limit_in_bytes" if top == GROUPS else "memory.max")
        limit.write_text(str(600 << 20))
    except OSError as reason:
        pytest.skip(f"no control group of memory here: {reason}")
    yield folder
    folder.rmdir()


@pytest.mark.parametrize(
    ("job", "line"),
    [
        ("--workers 8 --batch-bytes 19M", "DataLoader(..., num_workers=2, prefetch_factor=1)"),
        ("--workers 8 --batch-bytes 200M", "DataLoader(..., num_workers=0)"),
        ("--workers 8 --batch-bytes 19M --ranks 4", "sh -c 'echo "),
    ],
)
def test_a_job_beyond_its_control_group(group: Path, job: str, line: str, tmp_path: Path) -> None:
    inside = f"sh -c 'echo $PPID >{group}/cgroup.procs'; "
    ask = "pipedoctor check --quick --select memory-limit-too-low --no-redact --format json "

    before = run_shell(f"{inside}{ask}{job}", tmp_path)
    typed = read_first_line(before, "memory-limit-too-low")

    assert typed.removeprefix("sudo ").startswith(line)
    words = shlex.split(job)
    if "num_workers" in line:
        workers = line.partition("num_workers=")[2][0]
        prefetch = " --prefetch 1" if "prefetch" in line else ""
        smaller = f"--workers {workers} {' '.join(words[2:])}{prefetch}"
        after = run_shell(f"{inside}{ask}{smaller}", tmp_path)
    else:
        after = run_shell(f"{inside}{typed}; {ask}{job}", tmp_path)
    assert json.loads(after)["findings"] == []
