"""Figures that a log shows beside its error decide the first remedy."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.explanation.test_remedies_of_logs import list_remedies

NO_SPACE = "OSError: [Errno 28] No space left on device: '/data/tiles/7/04.png'\n"
INODES = (
    "$ df -i /data\nFilesystem       Inodes    IUsed   IFree IUse% Mounted on\n"
    "/dev/sdb1      61054976 61054976       0  100% /data\n"
)
BYTES = (
    "$ df -h /data\nFilesystem      Size  Used Avail Use% Mounted on\n"
    "/dev/sdb1       916G  910G     0  100% /data\n"
)
KILLED = "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.\n"
LOCKED = (
    '  File "h5py/h5f.pyx", line 102, in h5py.h5f.open\n'
    "BlockingIOError: [Errno 11] Unable to open file (unable to lock file, errno = 11)\n"
)
SLOW = "".join(
    f"step {number} time: 2.1{number} data: 1.9{number} loss: 3.2\n" for number in range(1, 7)
)
SUGGESTED = (
    "UserWarning: This DataLoader will create {} worker processes in total. Our suggested max"
    " number of worker in current system is {}, which is smaller than what this DataLoader\n"
)
CASES = {
    "no inodes": (NO_SPACE + INODES, "du --inodes -x --max-depth=3 /data | sort -n | tail -n 20"),
    "no bytes": (NO_SPACE + BYTES, "df -h /data/tiles/7/"),
    "a quota": (
        "srun: job 7 started\n  torch.save(x, path)\nOSError: [Errno 122] Disk quota exceeded\n",
        "python -m pip cache purge",
    ),
    "memory that Slurm had granted": (
        f"{KILLED}$ seff 7\nMemory Utilized: 95.1 GB\nMemory Efficiency: 99.10% of 96.00 GB\n",
        "sbatch --mem=192G",
    ),
    "HDF5 opened by several to write": (
        f'    self.f = h5py.File(self.name, mode="r+")\n{LOCKED}',
        'h5py.File(self.name, "r")',
    ),
    "HDF5 opened to read": (
        f'    self.f = h5py.File(self.name, "r")\n{LOCKED}',
        "export HDF5_USE_FILE_LOCKING=FALSE",
    ),
    "one CPU for many workers": (
        f"srun: job 7 queued and waiting for resources\n{SUGGESTED.format(16, 2)}{SLOW}",
        "sbatch --cpus-per-task=17",
    ),
}


@pytest.mark.parametrize(("log", "wanted"), CASES.values(), ids=CASES)
def test_first_remedy_is_of_the_figures(log: str, wanted: str) -> None:
    first, *_ = list_remedies(log)

    assert wanted in f"{first.shell}\n{first.snippet}"


def test_a_few_more_workers_than_cpus_explain_no_slow_data() -> None:
    first, *_ = list_remedies("srun: job 7 queued\n" + SUGGESTED.format(8, 6) + SLOW)

    assert "cpus-per-task" not in first.shell


@pytest.mark.skipif(sys.platform != "linux", reason="du of GNU")
def test_line_for_inodes_counts_files(tmp_path: Path) -> None:
    (tmp_path / "tiles").mkdir()
    for number in range(3):
        (tmp_path / f"tiles/{number}.png").touch()
    log = NO_SPACE + INODES.replace("/data", str(tmp_path))

    line = list_remedies(log)[0].snippet
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [f"4\t{tmp_path}/tiles", f"5\t{tmp_path}"]
