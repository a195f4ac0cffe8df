# ruff: noqa: D103  (the title of each stands beside it in faults.py)
"""How each fault is made, in a place that only one tool ever sees."""

import json
import os
import resource
import shutil
import subprocess
from pathlib import Path

from benchmarks.peers.place import ToolNamespace, join_group, leave_group, mount
from benchmarks.peers.stopped_fuse import mount_stopped_fuse

HANG = ("-UINIT", "-DINIT=sleep(3600)", "-DFLAGS=sleep(3600)")


def mount_small_shm(_: ToolNamespace) -> None:
    mount("-t", "tmpfs", "-o", "size=64m", "shm", "/dev/shm")


def limit_open_files(_: ToolNamespace) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))


def limit_to_one_cpu(_: ToolNamespace) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def set_omp_threads(place: ToolNamespace) -> None:
    place.environ["OMP_NUM_THREADS"] = "64"


def preload_missing_library(place: ToolNamespace) -> None:
    place.environ["LD_PRELOAD"] = "/usr/lib/libjemalloc.so.2.gone"


def mount_tiny_tmp(place: ToolNamespace) -> None:
    mount("-t", "tmpfs", "-o", "size=64k", "none", str(place.scratch / "tmp"))


def fill_tmp(place: ToolNamespace) -> None:
    tmp = place.scratch / "tmp"
    mount("-t", "tmpfs", "-o", "size=256m", "none", str(tmp))
    with (tmp / "checkpoint.pt").open("wb", buffering=0) as file:
        for _ in range(256):
            file.write(bytes(1 << 20))


def remove_numpy(place: ToolNamespace) -> None:
    for path in place.site_packages.glob("numpy*"):
        shutil.rmtree(path)


def install_two_opencv(place: ToolNamespace) -> None:
    place.unpack_wheels("opencv_python-*.whl", "opencv_python_headless-*.whl")


def add_pillow_simd(place: ToolNamespace) -> None:
    """Its metadata beside Pillow's, as `pip install pillow pillow-simd` leaves them."""
    place.unpack_wheels("pillow-*.whl")
    pillow = next(place.site_packages.glob("pillow-*.dist-info"))
    simd = place.site_packages / "Pillow_SIMD-9.5.0.post2.dist-info"
    shutil.copytree(pillow, simd)
    head = "Metadata-Version: 2.1\nName: Pillow-SIMD\nVersion: 9.5.0.post2\n"
    (simd / "METADATA").write_text(head)
    record = (pillow / "RECORD").read_text()
    (simd / "RECORD").write_text(record.replace(pillow.name, simd.name))


def install_old_torchvision(place: ToolNamespace) -> None:
    place.unpack_wheels("torchvision-0.20.1-*.whl")


def add_conda_record(place: ToolNamespace) -> None:
    """What conda believes that it installed, after pip wrote another torch over it."""
    folder = place.venv / "conda-meta"
    folder.mkdir()
    (folder / "history").touch()
    below = place.site_packages.relative_to(place.venv)
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


def add_two_toolkits(place: ToolNamespace) -> None:
    old = place.scratch / "cuda-11.8"
    (old / "bin").mkdir(parents=True)
    (old / "version.json").write_text('{"cuda": {"version": "11.8.0"}}')
    nvcc = "#!/bin/sh\necho 'Cuda compilation tools, release {0}, V{0}.89'\n"
    (old / "bin" / "nvcc").write_text(nvcc.format("11.8"))
    (old / "bin" / "nvcc").chmod(0o755)
    place.add_program("nvcc", nvcc.format("13.0"))
    place.environ["CUDA_HOME"] = str(old)


def install_old_driver(place: ToolNamespace) -> None:
    place.install_driver("470.82.01", 11040)


def install_old_driver_cuda(place: ToolNamespace) -> None:
    place.install_driver("470.82.01", 11040)
    place.fake_cuda_build()


def hide_gpu(place: ToolNamespace) -> None:
    place.install_driver("580.82.07", 13000)
    place.fake_cuda_build()
    place.environ["CUDA_VISIBLE_DEVICES"] = ""


def break_torch(place: ToolNamespace) -> None:
    (place.site_packages / "torch" / "lib" / "libtorch_global_deps.so").unlink()


def hang_nvidia_smi(place: ToolNamespace) -> None:
    """nvidia-smi and the library that it would call, as with a wedged driver."""
    place.install_driver("580.82.07", 13000, *HANG)
    place.add_program("nvidia-smi", "#!/bin/sh\nexec sleep 3600\n")


def hang_nvml(place: ToolNamespace) -> None:
    """The library alone, as in a container without nvidia-smi."""
    place.install_driver("580.82.07", 13000, *HANG)
    (place.scratch / "bin" / "nvidia-smi").unlink()


def leak_shm_segments(_: ToolNamespace) -> None:
    mount("-t", "tmpfs", "-o", "size=1g", "shm", "/dev/shm")
    with subprocess.Popen(["true"]) as gone:
        pass
    for number in range(6):
        segment = Path(f"/dev/shm/torch_{gone.pid}_{number}_0")
        segment.write_bytes(bytes(100 << 20))


def limit_processes(place: ToolNamespace) -> None:
    join_group("pids", max="24")
    place.undo_steps.append(lambda: leave_group("pids"))


def limit_cpu_quota(place: ToolNamespace) -> None:
    join_group("cpu", cfs_period_us="100000", cfs_quota_us="50000")
    place.undo_steps.append(lambda: leave_group("cpu"))


def limit_memory(place: ToolNamespace) -> None:
    join_group("memory", limit_in_bytes=str(1 << 30))
    place.undo_steps.append(lambda: leave_group("memory"))


def mount_dead_fuse(place: ToolNamespace) -> None:
    point = place.scratch / "data"
    point.mkdir()
    place.environ["DATA"] = str(point)
    place.undo_steps.append(mount_stopped_fuse(str(point)))


def mount_read_only_cache(place: ToolNamespace) -> None:
    cache = place.scratch / "cache"
    cache.mkdir()
    mount("-t", "tmpfs", "-o", "ro", "none", str(cache))
    place.environ |= {"TORCH_HOME": str(cache), "HF_HOME": str(cache)}


def mount_read_only(place: ToolNamespace) -> None:
    for folder in (place.venv, place.scratch / "tmp", place.scratch / "home"):
        mount("--bind", str(folder), str(folder))
        mount("-o", "remount,ro,bind", str(folder))


def set_pythonpath(place: ToolNamespace) -> None:
    other = place.scratch / "other"
    other.mkdir()
    wheel = next(place.layers.glob("numpy-1.26.4-*.whl"))
    shutil.unpack_archive(wheel, other, "zip")
    place.environ["PYTHONPATH"] = str(other)
