"""Two machines that are alike, to change one thing on one of them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipedoctor.diff.build import compare_sides
from pipedoctor.diff.model import Diff
from pipedoctor.diff.side import DiffSide, read_report_side
from pipedoctor.engine.catalogue import Catalogue, get_catalogue
from pipedoctor.facts import (
    Accelerators,
    Cpu,
    Device,
    Disk,
    Distribution,
    Fact,
    Facts,
    Gpu,
    Interpreter,
    Limits,
    Memory,
    Mount,
    Packages,
    PathFact,
    Paths,
    PciDevice,
    Rlimit,
    Shm,
    Site,
    Threads,
    TorchBuild,
    Variables,
)
from pipedoctor.pipeline import CheckPolicy

GiB = 1 << 30
SITE_PACKAGES = "/home/anna/venv/lib/python3.12/site-packages"
MACHINES = sorted((Path(__file__).parents[1] / "machines").glob("*.json"))

Record = dict[str, Any]
Compare = Callable[..., Diff]


def machine() -> Facts:
    """A sound node: eight CPUs, one A100, torch of CUDA 12.6."""
    names = {
        "numpy": "2.1.0",
        "pillow": "11.0.0",
        "torch": "2.6.0",
        "torchvision": "0.21.0",
        "nvidia-cudnn-cu12": "9.5.1.17",
        "attrs": "24.2.0",
    }
    packages = (
        Distribution(name=n, version=v, location=SITE_PACKAGES, installer="pip")
        for n, v in names.items()
    )
    root = Mount(point="/", fstype="ext4", source="/dev/nvme0n1p2")
    places = (
        ("cwd", "working directory", "/home/anna/job"),
        ("tmp", "default", "/tmp"),
    )
    return Facts(
        Site(system="linux", distribution="Debian GNU/Linux 12", machine="x86_64"),
        Shm(size=32 * GiB, used=4096, available=32 * GiB - 4096),
        Cpu(logical=8, affinity=8, model="AMD EPYC 7543", flags=("avx", "avx2")),
        Threads(),
        Memory(total=64 * GiB, available=50 * GiB),
        Limits(nofile=Rlimit(soft=65536, hard=65536), pid_max=32768, user_threads=99),
        Paths(
            entries=tuple(
                PathFact(
                    role=role,
                    path=path,
                    named_by=by,
                    exists=True,
                    writable=True,
                    mount=root,
                    size=900 * GiB,
                    free=400 * GiB,
                    disks=(Disk(name="nvme0n1", transport="nvme"),),
                )
                for role, by, path in places
            )
        ),
        Gpu(
            driver="570.86.15",
            cuda="12.8",
            devices=(
                Device(index=0, name="NVIDIA A100-SXM4-40GB", capability="8.0"),
                Device(index=1, name="NVIDIA A100-SXM4-40GB", capability="8.0"),
            ),
        ),
        Accelerators(pci=(PciDevice(vendor="10de", device="20b0"),), nvidia_module="570.86.15"),
        Interpreter(version="3.12.4", prefix="/home/anna/venv", glibc="2.36"),
        Variables(values={"CUDA_HOME": "/usr/local/cuda"}),
        TorchBuild(version="2.6.0", local="cu126", cuda="12.6"),
        Packages(entries=tuple(packages)),
    )


def recorded(facts: Facts, created: str = "2026-11-20T10:00:00Z") -> Record:
    """The report of these facts, as JSON has it."""
    plain = msgspec.json.decode(msgspec.json.encode(facts.to_record()))
    return {"schema": "pipedoctor.report/1", "created": created, "facts": plain}


def side(name: str, record: Record) -> DiffSide:
    return read_report_side(name, msgspec.json.encode(record))


def changed(*facts: Fact) -> Facts:
    """The same machine with these facts instead."""
    return machine().merge(*facts)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return get_catalogue()


@pytest.fixture
def diff(catalogue: Catalogue) -> Compare:
    """Compare facts, records or sides, called `a`, `b`, `c`."""

    def run(*given: Facts | Record | DiffSide, **options: Any) -> Diff:
        sides: Sequence[DiffSide] = [
            one
            if isinstance(one, DiffSide)
            else side(name, recorded(one) if isinstance(one, Facts) else one)
            for name, one in zip("abcdef", given, strict=False)
        ]
        return compare_sides(catalogue, sides, CheckPolicy(), **options)

    return run
