"""A cause that is ruled out says by which values."""

from typing import Any

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.explanation.local_evidence import CHECK_EVIDENCE, describe_evidence
from pipedoctor.facts import (
    Accelerators,
    Cpu,
    Device,
    Distribution,
    Facts,
    Gpu,
    ImageStack,
    Interpreter,
    Libraries,
    Library,
    Limits,
    Logind,
    Memory,
    Mount,
    Packages,
    PathFact,
    Paths,
    Rlimit,
    Shm,
    Threads,
    TorchBuild,
)

GiB = 1 << 30
NOFILE = Rlimit(soft=1024, hard=4096)
PACKAGES = Packages(
    entries=(
        Distribution(name="torch", version="2.13.0"),
        Distribution(name="numpy", version="2.4.6"),
    )
)
PATHS = Paths(
    entries=(
        PathFact(role="tmp", path="/tmp", free=3 * GiB, mount=Mount(point="/", fstype="ext4")),
        PathFact(role="cache", path="/home/a/.cache", writable=True),
        PathFact(role="home", path="/home/a", writable=False),
    )
)
LIBRARY = Library(soname="libcudnn.so.9", path="/x", version="9.20.0", chosen=True)


@pytest.mark.parametrize(
    ("name", "fact", "said"),
    [
        (
            "shm-too-small",
            Shm(size=12 * GiB, used=GiB, available=11 * GiB),
            "/dev/shm has 12.0 GiB, 11.0 GiB of it free",
        ),
        ("shm-too-small", Shm(size=0, missing=True), ""),
        ("shm-too-small", Shm(size=0, unlimited=True), ""),
        ("fd-limit-exhausted", Limits(nofile=NOFILE), "open files: 1024"),
        (
            "fd-limit-exhausted",
            Limits(nofile=Rlimit(soft=None, hard=None)),
            "open files: no limit",
        ),
        (
            "process-limit-reached",
            Limits(nofile=NOFILE, nproc=NOFILE, pids_max=99),
            "processes of this user: 1024, pids.max: 99",
        ),
        ("process-limit-reached", Limits(nofile=NOFILE), ""),
        (
            "inotify-limit",
            Limits(nofile=NOFILE, inotify_watches=8192),
            "fs.inotify.max_user_watches: 8192",
        ),
        ("inotify-limit", Limits(nofile=NOFILE), ""),
        (
            "map-count-low",
            Limits(nofile=NOFILE, max_map_count=65530),
            "65530 memory mappings",
        ),
        (
            "map-count-low",
            Limits(nofile=NOFILE, max_map_count=65530, maps=12),
            "12 of 65530 memory mappings",
        ),
        ("map-count-low", Limits(nofile=NOFILE), ""),
        ("tmpdir-path-too-long", PATHS, "/tmp is 4 bytes long"),
        (
            "nvidia-uvm-state-broken",
            Accelerators(
                nvidia_nodes=("/dev/nvidia0", "/dev/nvidia-uvm"),
                unusable_nodes=("/dev/nvidia0",),
            ),
            "/dev/nvidia-uvm can be opened",
        ),
        ("nvidia-uvm-state-broken", Accelerators(), ""),
        (
            "pillow-binary-broken",
            ImageStack(pillow_version="12.0.0"),
            "Pillow 12.0.0 and its extension module",
        ),
        ("pillow-binary-broken", ImageStack(), ""),
        (
            "opencv-system-lib-missing",
            Libraries(examined=("cv2/cv2.abi3.so", "PIL/_imaging.so")),
            "1 OpenCV file: no library is missing",
        ),
        ("opencv-system-lib-missing", Libraries(), ""),
        ("systemd-removeipc", Logind(running=False), "systemd-logind is not running"),
        (
            "systemd-removeipc",
            Logind(running=True, remove_ipc=False),
            "RemoveIPC=False",
        ),
        ("systemd-removeipc", Logind(running=True), ""),
        (
            "memory-limit-too-low",
            Memory(total=8 * GiB, available=3 * GiB),
            "3.0 GiB of 8.0 GiB of memory are free",
        ),
        ("too-many-workers-for-cpus", Cpu(logical=1), "1 CPU usable"),
        (
            "thread-oversubscription",
            Threads(asked={"OMP_NUM_THREADS": 2}),
            "OMP_NUM_THREADS=2",
        ),
        ("disk-full", PATHS, "/tmp has 3.0 GiB free"),
        ("cache-dir-not-writable", PATHS, "writable: /home/a/.cache"),
        ("cache-dir-not-writable", Paths(), ""),
        ("tmpdir-on-network-fs", PATHS, "/tmp is on ext4"),
        (
            "driver-too-old",
            Gpu(driver="580.82", devices=(Device(index=0, name="NVIDIA H100"),)),
            "driver 580.82, NVIDIA H100",
        ),
        ("driver-too-old", Gpu(), ""),
        (
            "cpu-only-torch-build",
            TorchBuild(version="2.13.0", cuda="13.0"),
            "torch 2.13.0 for CUDA 13.0",
        ),
        (
            "cpu-only-torch-build",
            TorchBuild(version="2.13.0", hip="7.2"),
            "torch 2.13.0 for ROCm 7.2",
        ),
        (
            "cpu-only-torch-build",
            TorchBuild(version="2.13.0", local="cpu"),
            "torch 2.13.0 for the CPU",
        ),
        (
            "cudnn-version-conflict",
            Libraries(entries=(LIBRARY,)),
            "libcudnn.so.9 9.20.0",
        ),
        ("glibc-too-old", Interpreter(glibc="2.36"), "glibc 2.36"),
        ("glibc-too-old", Interpreter(), ""),
        ("numpy2-abi-mismatch", PACKAGES, "torch 2.13.0, numpy 2.4.6"),
        ("no-such-check", PACKAGES, ""),
    ],
)
def test_values(name: str, fact: Any, said: str) -> None:
    assert describe_evidence(name, Facts(fact)) == said
    assert describe_evidence(name, Facts()) == ""


def test_every_name_is_that_of_a_check() -> None:
    names = {check.name for check in get_catalogue().checks.values()}

    assert set(CHECK_EVIDENCE) <= names
