"""
Faults, each made for real in a private place, and the fixed rule for each.

`subject` is what a peer's line must be about, `names` what pipedoctor must say. The
rules stand here before anything is run; where a line might count, it counts.
"""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.peers import probes, spoil
from benchmarks.peers.place import ToolNamespace


@dataclass(frozen=True)
class InjectedFault:
    """Something wrong with a machine or an environment."""

    title: str
    make: Callable[[ToolNamespace], None]
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


JOB = ("--workers", "8", "--batch-bytes", "32M")

LISTED = (
    InjectedFault(
        title="/dev/shm of 64 MiB, Docker's default",
        make=spoil.mount_small_shm,
        subject=r"/dev/shm|shared.memory|\bshm\b",
        names=("shm-too-small",),
        probe=probes.LOADER,
    ),
    InjectedFault(
        title="128 open files (`ulimit -n 128`)",
        make=spoil.limit_open_files,
        subject=r"open files|nofile|descriptor|ulimit",
        names=("fd-limit-exhausted",),
        probe=probes.KEPT_BATCHES,
    ),
    InjectedFault(
        title="affinity of one CPU of several",
        make=spoil.limit_to_one_cpu,
        subject=r"affinity|number of worker|cpu",
        names=("cpu-affinity-restricted", "too-many-workers-for-cpus"),
        probe=probes.ALL_CPUS,
    ),
    InjectedFault(
        title="OMP_NUM_THREADS=64 on this machine",
        make=spoil.set_omp_threads,
        subject=r"omp_num_threads|oversubscri|thread",
        names=("thread-oversubscription",),
        hint=JOB,
    ),
    InjectedFault(
        title="TMPDIR of 64 kB",
        make=spoil.mount_tiny_tmp,
        subject=r"tmpdir|temporary|no space|disk|/tmp\b",
        names=("disk-full",),
        probe=probes.TEMPORARY_FILE,
    ),
    InjectedFault(
        title="no numpy",
        make=spoil.remove_numpy,
        subject=r"numpy",
        names=("numpy-missing",),
        probe=probes.TO_NUMPY,
    ),
    InjectedFault(
        title="opencv-python and opencv-python-headless",
        make=spoil.install_two_opencv,
        subject=r"opencv|cv2",
        names=("duplicate-distributions",),
    ),
    InjectedFault(
        title="Pillow and Pillow-SIMD",
        make=spoil.add_pillow_simd,
        subject=r"pillow|\bpil\b",
        names=("duplicate-distributions", "pillow-simd-shadowed"),
    ),
    InjectedFault(
        title="torchvision made for another torch",
        make=spoil.install_old_torchvision,
        subject=r"torchvision",
        names=(
            "torch-torchvision-mismatch",
            "torchvision-build-mismatch",
            "broken-requirements",
        ),
        probe=probes.TORCHVISION,
    ),
    InjectedFault(
        title="torch 2.13 of pip over conda's pytorch 2.4",
        make=spoil.add_conda_record,
        subject=r"conda",
        names=("conda-pip-clobber", "mixed-torch-installs"),
    ),
    InjectedFault(
        title="CUDA_HOME of 11.8, nvcc on PATH of 13.0",
        make=spoil.add_two_toolkits,
        subject=r"cuda_home|11\.8|nvcc",
        names=("cuda-libs-shadowed-by-ld-library-path",),
        harmless="torch's wheels bring their own CUDA; nvcc matters only to who "
        "compiles extensions",
    ),
    InjectedFault(
        title="driver 470, CPU build of torch",
        make=spoil.install_old_driver,
        subject=r"470|driver|cpu.only|\+cpu|cuda",
        names=("cpu-only-torch-build", "driver-too-old"),
    ),
    InjectedFault(
        title='CUDA_VISIBLE_DEVICES="" with two GPUs',
        make=spoil.hide_gpu,
        subject=r"visib|hidden|mask|cannot use cuda|cuda.{0,9}unavail",
        names=("gpu-hidden-by-environment",),
    ),
    InjectedFault(
        title="`import torch` raises OSError",
        make=spoil.break_torch,
        subject=r"torch",
        names=("torch-not-importable",),
        probe="import torch",
    ),
    InjectedFault(
        title="nvidia-smi and NVML hang",
        make=spoil.hang_nvidia_smi,
        subject=r"nvidia.smi|driver|nvml|gpu|timed? ?out",
        names=("gpu-driver-unresponsive",),
    ),
)
"""The 13 of the first comparison; two of them held two faults, which stand apart."""

MORE = (
    InjectedFault(
        title="driver 470, torch for CUDA 13.0",
        make=spoil.install_old_driver_cuda,
        subject=r"470|driver|cuda",
        names=("driver-too-old",),
    ),
    InjectedFault(
        title="NVML hangs, no nvidia-smi",
        make=spoil.hang_nvml,
        subject=r"driver|nvml|gpu|timed? ?out",
        names=("gpu-driver-unresponsive",),
    ),
    InjectedFault(
        title="600 MB of segments that dead workers left in /dev/shm",
        make=spoil.leak_shm_segments,
        subject=r"/dev/shm|shared.memory|\bshm\b|leak|torch_\d",
        names=("leaked-shm-segments",),
    ),
    InjectedFault(
        title="control group with 24 processes",
        make=spoil.limit_processes,
        subject=r"process(es)? limit|nproc|pids|threads",
        names=("process-limit-reached",),
        hint=JOB,
        probe=probes.EIGHT_WORKERS,
    ),
    InjectedFault(
        title="control group with half a CPU",
        make=spoil.limit_cpu_quota,
        subject=r"quota|cgroup|\bcpus?\b",
        names=("cgroup-cpu-quota-ignored", "too-many-workers-for-cpus"),
        hint=JOB,
    ),
    InjectedFault(
        title="control group with 1 GiB of memory",
        make=spoil.limit_memory,
        subject=r"memory|cgroup|\bram\b",
        names=("memory-limit-too-low",),
        hint=JOB,
    ),
    InjectedFault(
        title="dataset on a mount that does not answer",
        make=spoil.mount_dead_fuse,
        subject=r"mount|\bdata\b|path|respon|timed? ?out",
        names=("path-unresponsive",),
        hint=("--data", "$DATA"),
    ),
    InjectedFault(
        title="cache folder on a read-only file system",
        make=spoil.mount_read_only_cache,
        subject=r"torch_home|hf_home|cache|read.only|writ",
        names=("cache-dir-not-writable",),
        probe=probes.CACHE,
    ),
    InjectedFault(
        title="TMPDIR of 256 MB, full",
        make=spoil.fill_tmp,
        subject=r"tmpdir|temporary|no space|disk|/tmp\b",
        names=("disk-full",),
        probe=probes.IN_TMPDIR,
    ),
    InjectedFault(
        title="LD_PRELOAD of a library that is gone",
        make=spoil.preload_missing_library,
        subject=r"ld_preload|preload|jemalloc",
        names=("ld-preload-broken",),
        harmless="the loader says so itself, and goes on without it",
    ),
    InjectedFault(
        title="PYTHONPATH brings numpy 1.26 of another environment",
        make=spoil.set_pythonpath,
        subject=r"pythonpath|numpy.{0,40}1\.26|1\.26.{0,40}numpy",
        names=("pythonpath-leak", "mixed-numpy-installs"),
        probe=probes.NUMPY_2,
    ),
)

FAULTS = (*LISTED, *MORE)

READ_ONLY = InjectedFault(
    title="nothing can be written",
    make=spoil.mount_read_only,
    subject="read.only",
    names=("cache-dir-not-writable", "disk-full"),
)
"""No illness to be found, but a place in which to answer."""

EVERY = (*FAULTS, READ_ONLY)
