"""A real slow disk: where the dataset would be copied to, and that the copy is faster."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import (
    Facts,
    Loader,
    Sample,
    Shm,
)
from pipedoctor.units import GiB, KiB, MiB
from pipedoctor_checks.storage.slow_storage import slow_storage
from tests.checks.storage.storage_samples import (
    BARE,
    TABLE,
    judged,
    memory,
    on,
)

FLYING = Loader(num_workers=4, prefetch_factor=2, batch_bytes=100 * MiB)  # 1000 MiB


SURVEY = """
import json, sys
from pathlib import Path
Path(sys.argv[1]).write_text(str(__import__("os").getpid()))
from pipedoctor.collect.storage.datasets import dataset
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import DataSets, Facts
found = dataset(Machine(), sys.argv[2], False, lambda _: None)
print(json.dumps(Facts(DataSets(entries=(found,))).to_record()))
"""


def surveyed(group: Path, folder: Path) -> Facts:
    """What a process of this control group finds out about a dataset."""
    done = subprocess.run(
        [sys.executable, "-c", SURVEY, group / "cgroup.procs", folder],
        check=True,
        capture_output=True,
    )
    return Facts.from_record(json.loads(done.stdout)).merge(TABLE, BARE)


def pictures(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        with (folder / f"{number}.jpg").open("wb") as file:
            file.write(os.urandom(8 * KiB))
    os.sync()


@pytest.mark.root
@pytest.mark.slow
def test_the_illness_is_real_and_a_copy_cures_it(
    tmp_path: Path, control_group: Callable[[str], Path]
) -> None:
    limit = control_group("blkio") / "blkio.throttle.read_iops_device"
    pictures(tmp_path / "set", 1000)
    try:
        limit.write_text(f"{whole_disk(tmp_path)} 40")
    except OSError as reason:
        pytest.skip(f"the disk below {tmp_path} cannot be slowed down: {reason}")

    (finding,) = slow_storage.run(surveyed(limit.parent, tmp_path / "set")).findings
    assert finding.severity is Severity.SLOWS
    assert "small files/s" in finding.summary

    shm = Shm(size=GiB, available=GiB)
    known = (on("9p", sample=finding_sample(finding)), shm, FLYING, memory(99 * GiB))
    (copy,) = [r for r in judged(*known)[0].remedies if r.argv]
    with tempfile.TemporaryDirectory(dir="/dev/shm") as fast:
        words = (*copy.argv[:2], str(tmp_path / "set"), fast)
        subprocess.run(words, check=True, capture_output=True)
        cured = slow_storage.run(surveyed(limit.parent, Path(fast) / "set"))

    assert cured.findings == ()
    assert not cured.skipped
    assert slow_storage.run(surveyed(limit.parent, tmp_path / "set")).findings


def finding_sample(finding: Finding) -> Sample:
    files, size = finding.evidence["files"], finding.evidence["bytes"]
    return Sample(files=files, bytes=size, complete=True, seconds=0)


def whole_disk(path: Path) -> str:
    """MAJOR:MINOR of the disk, not of the partition, that a path lies on."""
    number = path.stat().st_dev
    node = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()
    disk = node.parent if (node / "partition").exists() else node
    try:
        return (disk / "dev").read_text().strip()
    except OSError as reason:
        pytest.skip(f"{path} is on no disk: {reason}")
