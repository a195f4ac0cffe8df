"""Machines, datasets and measured costs that tests of caches share."""

from typing import Any

from pipedoctor.check import Finding
from pipedoctor.facts import (
    Cpu,
    DataSet,
    DataSets,
    Disk,
    Facts,
    Memory,
    PathFact,
    Paths,
    Sample,
)
from pipedoctor.units import GiB
from pipedoctor_checks.storage.cache_the_data_set import cache_the_data_set

PIXELS = 256 * 256 * 3
HERE = Cpu(logical=8, model="Acme 9")
NVME = Disk(name="nvme0n1", transport="nvme", rotational=False)


def pictures(files: int = 1000, suffix: str = ".jpg", **more: Any) -> DataSets:
    sample = Sample(
        files=files,
        bytes=files * more.get("each", 100_000),
        complete=more.get("complete", True),
        seconds=0.1,
        suffixes=more.get("suffixes", {suffix: files}),
    )
    return DataSets(entries=(DataSet(path="/data", sample=sample),))


def memory(room: int) -> Memory:
    return Memory(total=1 << 40, available=room)


def scratch(free: int = 100 * GiB, disk: Disk = NVME) -> Paths:
    place = PathFact(
        role="scratch",
        path="/scratch",
        exists=True,
        writable=True,
        free=free,
        unlimited_inodes=True,
        disks=(disk,),
    )
    return Paths(entries=(place,))


def judged(*facts: Any, **settings: Any) -> list[Finding]:
    verdict = cache_the_data_set.run(Facts(HERE, *facts), **settings)
    assert not verdict.skipped, verdict.skipped
    return list(verdict.findings)
