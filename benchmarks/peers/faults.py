"""
Faults, each made for real in a private place, and the fixed rule for each.

`subject` is what a peer's line must be about, `names` what pipedoctor must say. The
rules stand here before anything is run; where a line might count, it counts.
"""

import json
import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import probes
from benchmarks.peers.place import Place, group, leave, mount
from benchmarks.peers.stopped_fuse import hang


@dataclass(frozen=True)
class Fault:
    """Something wrong with a machine or an environment."""

    title: str
    make: Callable[[Place], None]
    subject: str
    """Regular expression for a peer's output; no case."""
    names: tuple[str, ...]
    """pipedoctor's names for it; any of them will do."""
    hint: tuple[str, ...] = ()
    """What the user of pipedoctor adds, for he knows his job: shown in the table."""
    probe: str = ""
    """Python that must succeed on the clean machine and fail under the fault."""
    harmless: str = ""
    """Why a doctor of data pipelines need not speak of it."""


HANG = ("-UINIT", "-DINIT=sleep(3600)", "-DFLAGS=sleep(3600)")
JOB = ("--workers", "8", "--batch-bytes", "32M")


def _small_shm(_: Place) -> None:
    mount("-t", "tmpfs", "-o", "size=64m", "shm", "/dev/shm")


def _few_files(_: Place) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))


def _one_cpu(_: Place) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def _threads(place: Place) -> None:
    place.environ["OMP_NUM_THREADS"] = "64"


def _preload(place: Place) -> None:
    place.environ["LD_PRELOAD"] = "/usr/lib/libjemalloc.so.2.gone"


def _tiny_tmp(place: Place) -> None:
    mount("-t", "tmpfs", "-o", "size=64k", "none", str(place.scratch / "tmp"))


def _full_tmp(place: Place) -> None:
    tmp = place.scratch / "tmp"
    mount("-t", "tmpfs", "-o", "size=256m", "none", str(tmp))
    with (tmp / "checkpoint.pt").open("wb", buffering=0) as file:
        for _ in range(256):
            file.write(bytes(1 << 20))


def _no_numpy(place: Place) -> None:
    for path in place.site.glob("numpy*"):
        shutil.rmtree(path)


def _two_opencv(place: Place) -> None:
    place.layer("opencv_python-*.whl", "opencv_python_headless-*.whl")


def _pillow_simd(place: Place) -> None:
    """Its metadata beside Pillow's, as `pip install pillow pillow-simd` leaves them."""
    place.layer("pillow-*.whl")
    pillow = next(place.site.glob("pillow-*.dist-info"))
    simd = place.site / "Pillow_SIMD-9.5.0.post2.dist-info"
    shutil.copytree(pillow, simd)
    head = "Metadata-Version: 2.1\nName: Pillow-SIMD\nVersion: 9.5.0.post2\n"
    (simd / "METADATA").write_text(head)
    record = (pillow / "RECORD").read_text()
    (simd / "RECORD").write_text(record.replace(pillow.name, simd.name))


def _old_torchvision(place: Place) -> None:
    place.layer("torchvision-0.20.1-*.whl")


def _conda_under_pip(place: Place) -> None:
    """What conda believes that it installed, after pip wrote another torch over it."""
    folder = place.venv / "conda-meta"
    folder.mkdir()
    (folder / "history").touch()
    below = place.site.relative_to(place.venv)
    record = {
        "name": "pytorch",
        "version": "2.4.0",
        "build": "py3.11_cuda12.4_cudnn9.1.0_0",
        "channel": "https://conda.anaconda.org/pytorch/linux-64",
        "files": [f"{below}/torch/{n}" for n in ("__init__.py", "version.py")]
        + [f"{below}/torch-2.4.0-py3.11.egg-info/PKG-INFO"],
        "depends": ["python >=3.11,<3.12.0a0"],
    }
    name = f"pytorch-2.4.0-{record['build']}.json"
    (folder / name).write_text(json.dumps(record))
    place.environ["CONDA_PREFIX"] = str(place.venv)
    place.environ["CONDA_DEFAULT_ENV"] = "train"


def _two_toolkits(place: Place) -> None:
    old = place.scratch / "cuda-11.8"
    (old / "bin").mkdir(parents=True)
    (old / "version.json").write_text('{"cuda": {"version": "11.8.0"}}')
    nvcc = "#!/bin/sh\necho 'Cuda compilation tools, release {0}, V{0}.89'\n"
    (old / "bin" / "nvcc").write_text(nvcc.format("11.8"))
    (old / "bin" / "nvcc").chmod(0o755)
    place.program("nvcc", nvcc.format("13.0"))
    place.environ["CUDA_HOME"] = str(old)


def _old_driver_cpu_build(place: Place) -> None:
    place.driver("470.82.01", 11040)


def _old_driver(place: Place) -> None:
    place.driver("470.82.01", 11040)
    place.cuda_build()


def _hidden_gpu(place: Place) -> None:
    place.driver("580.82.07", 13000)
    place.cuda_build()
    place.environ["CUDA_VISIBLE_DEVICES"] = ""


def _torch_broken(place: Place) -> None:
    (place.site / "torch" / "lib" / "libtorch_global_deps.so").unlink()


def _smi_hangs(place: Place) -> None:
    """nvidia-smi and the library that it would call, as with a wedged driver."""
    place.driver("580.82.07", 13000, *HANG)
    place.program("nvidia-smi", "#!/bin/sh\nexec sleep 3600\n")


def _nvml_hangs(place: Place) -> None:
    """The library alone, as in a container without nvidia-smi."""
    place.driver("580.82.07", 13000, *HANG)
    (place.scratch / "bin" / "nvidia-smi").unlink()


def _leaked(_: Place) -> None:
    mount("-t", "tmpfs", "-o", "size=1g", "shm", "/dev/shm")
    with subprocess.Popen(["true"]) as gone:
        pass
    for number in range(6):
        segment = Path(f"/dev/shm/torch_{gone.pid}_{number}_0")
        segment.write_bytes(bytes(100 << 20))


def _few_processes(place: Place) -> None:
    group("pids", max="24")
    place.undo.append(lambda: leave("pids"))


def _quota(place: Place) -> None:
    group("cpu", cfs_period_us="100000", cfs_quota_us="50000")
    place.undo.append(lambda: leave("cpu"))


def _little_memory(place: Place) -> None:
    group("memory", limit_in_bytes=str(1 << 30))
    place.undo.append(lambda: leave("memory"))


def _dead_mount(place: Place) -> None:
    point = place.scratch / "data"
    point.mkdir()
    place.environ["DATA"] = str(point)
    place.undo.append(hang(str(point)))


def _fixed_cache(place: Place) -> None:
    cache = place.scratch / "cache"
    cache.mkdir()
    mount("-t", "tmpfs", "-o", "ro", "none", str(cache))
    place.environ |= {"TORCH_HOME": str(cache), "HF_HOME": str(cache)}


def _read_only(place: Place) -> None:
    for folder in (place.venv, place.scratch / "tmp", place.scratch / "home"):
        mount("--bind", str(folder), str(folder))
        mount("-o", "remount,ro,bind", str(folder))


def _pythonpath(place: Place) -> None:
    other = place.scratch / "other"
    other.mkdir()
    wheel = next(place.layers.glob("numpy-1.26.4-*.whl"))
    shutil.unpack_archive(wheel, other, "zip")
    place.environ["PYTHONPATH"] = str(other)


LISTED = (
    Fault(
        title="/dev/shm of 64 MiB, Docker's default",
        make=_small_shm,
        subject=r"/dev/shm|shared.memory|\bshm\b",
        names=("shm-too-small",),
        probe=probes.LOADER,
    ),
    Fault(
        title="128 open files (`ulimit -n 128`)",
        make=_few_files,
        subject=r"open files|nofile|descriptor|ulimit",
        names=("fd-limit-exhausted",),
        probe=probes.KEPT_BATCHES,
    ),
    Fault(
        title="affinity of one CPU of several",
        make=_one_cpu,
        subject=r"affinity|number of worker|cpu",
        names=("cpu-affinity-restricted", "too-many-workers-for-cpus"),
        probe=probes.ALL_CPUS,
    ),
    Fault(
        title="OMP_NUM_THREADS=64 on this machine",
        make=_threads,
        subject=r"omp_num_threads|oversubscri|thread",
        names=("thread-oversubscription",),
        hint=JOB,
    ),
    Fault(
        title="TMPDIR of 64 kB",
        make=_tiny_tmp,
        subject=r"tmpdir|temporary|no space|disk|/tmp\b",
        names=("disk-full",),
        probe=probes.TEMPORARY_FILE,
    ),
    Fault(
        title="no numpy",
        make=_no_numpy,
        subject=r"numpy",
        names=("numpy-missing",),
        probe=probes.TO_NUMPY,
    ),
    Fault(
        title="opencv-python and opencv-python-headless",
        make=_two_opencv,
        subject=r"opencv|cv2",
        names=("duplicate-distributions",),
    ),
    Fault(
        title="Pillow and Pillow-SIMD",
        make=_pillow_simd,
        subject=r"pillow|\bpil\b",
        names=("duplicate-distributions", "pillow-simd-shadowed"),
    ),
    Fault(
        title="torchvision made for another torch",
        make=_old_torchvision,
        subject=r"torchvision",
        names=(
            "torch-torchvision-mismatch",
            "torchvision-build-mismatch",
            "broken-requirements",
        ),
        probe=probes.TORCHVISION,
    ),
    Fault(
        title="torch 2.13 of pip over conda's pytorch 2.4",
        make=_conda_under_pip,
        subject=r"conda",
        names=("conda-pip-clobber", "mixed-torch-installs"),
    ),
    Fault(
        title="CUDA_HOME of 11.8, nvcc on PATH of 13.0",
        make=_two_toolkits,
        subject=r"cuda_home|11\.8|nvcc",
        names=("cuda-libs-shadowed-by-ld-library-path",),
        harmless="torch's wheels bring their own CUDA; nvcc matters only to who "
        "compiles extensions",
    ),
    Fault(
        title="driver 470, CPU build of torch",
        make=_old_driver_cpu_build,
        subject=r"470|driver|cpu.only|\+cpu|cuda",
        names=("cpu-only-torch-build", "driver-too-old"),
    ),
    Fault(
        title='CUDA_VISIBLE_DEVICES="" with two GPUs',
        make=_hidden_gpu,
        subject=r"visib|hidden|mask|cannot use cuda|cuda.{0,9}unavail",
        names=("gpu-hidden-by-environment",),
    ),
    Fault(
        title="`import torch` raises OSError",
        make=_torch_broken,
        subject=r"torch",
        names=("torch-not-importable",),
        probe="import torch",
    ),
    Fault(
        title="nvidia-smi and NVML hang",
        make=_smi_hangs,
        subject=r"nvidia.smi|driver|nvml|gpu|timed? ?out",
        names=("gpu-driver-unresponsive",),
    ),
)
"""The 13 of the first comparison; two of them held two faults, which stand apart."""

MORE = (
    Fault(
        title="driver 470, torch for CUDA 13.0",
        make=_old_driver,
        subject=r"470|driver|cuda",
        names=("driver-too-old",),
    ),
    Fault(
        title="NVML hangs, no nvidia-smi",
        make=_nvml_hangs,
        subject=r"driver|nvml|gpu|timed? ?out",
        names=("gpu-driver-unresponsive",),
    ),
    Fault(
        title="600 MB of segments that dead workers left in /dev/shm",
        make=_leaked,
        subject=r"/dev/shm|shared.memory|\bshm\b|leak|torch_\d",
        names=("leaked-shm-segments",),
    ),
    Fault(
        title="control group with 24 processes",
        make=_few_processes,
        subject=r"process(es)? limit|nproc|pids|threads",
        names=("process-limit-reached",),
        hint=JOB,
        probe=probes.EIGHT_WORKERS,
    ),
    Fault(
        title="control group with half a CPU",
        make=_quota,
        subject=r"quota|cgroup|\bcpus?\b",
        names=("cgroup-cpu-quota-ignored", "too-many-workers-for-cpus"),
        hint=JOB,
    ),
    Fault(
        title="control group with 1 GiB of memory",
        make=_little_memory,
        subject=r"memory|cgroup|\bram\b",
        names=("memory-limit-too-low",),
        hint=JOB,
    ),
    Fault(
        title="data set on a mount that does not answer",
        make=_dead_mount,
        subject=r"mount|\bdata\b|path|respon|timed? ?out",
        names=("path-unresponsive",),
        hint=("--data", "$DATA"),
    ),
    Fault(
        title="cache folder on a read-only file system",
        make=_fixed_cache,
        subject=r"torch_home|hf_home|cache|read.only|writ",
        names=("cache-dir-not-writable",),
        probe=probes.CACHE,
    ),
    Fault(
        title="TMPDIR of 256 MB, full",
        make=_full_tmp,
        subject=r"tmpdir|temporary|no space|disk|/tmp\b",
        names=("disk-full",),
        probe=probes.IN_TMPDIR,
    ),
    Fault(
        title="LD_PRELOAD of a library that is gone",
        make=_preload,
        subject=r"ld_preload|preload|jemalloc",
        names=("ld-preload-broken",),
        harmless="the loader says so itself, and goes on without it",
    ),
    Fault(
        title="PYTHONPATH brings numpy 1.26 of another environment",
        make=_pythonpath,
        subject=r"pythonpath|numpy.{0,40}1\.26|1\.26.{0,40}numpy",
        names=("pythonpath-leak", "mixed-numpy-installs"),
        probe=probes.NUMPY_2,
    ),
)

FAULTS = (*LISTED, *MORE)

READ_ONLY = Fault(
    title="nothing can be written",
    make=_read_only,
    subject="read.only",
    names=("cache-dir-not-writable", "disk-full"),
)
"""No illness to be found, but a place in which to answer."""

EVERY = (*FAULTS, READ_ONLY)
