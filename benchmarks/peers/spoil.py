# ruff: noqa: D103  (the title of each stands beside it in faults.py)
"""How each fault is made, in a place that only one tool ever sees."""

import json
import os
import resource
import shutil
import subprocess
from pathlib import Path

from benchmarks.peers.place import Place, group, leave, mount
from benchmarks.peers.stopped_fuse import hang

HANG = ("-UINIT", "-DINIT=sleep(3600)", "-DFLAGS=sleep(3600)")


def small_shm(_: Place) -> None:
    mount("-t", "tmpfs", "-o", "size=64m", "shm", "/dev/shm")


def few_files(_: Place) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))


def one_cpu(_: Place) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def threads(place: Place) -> None:
    place.environ["OMP_NUM_THREADS"] = "64"


def preload(place: Place) -> None:
    place.environ["LD_PRELOAD"] = "/usr/lib/libjemalloc.so.2.gone"


def tiny_tmp(place: Place) -> None:
    mount("-t", "tmpfs", "-o", "size=64k", "none", str(place.scratch / "tmp"))


def full_tmp(place: Place) -> None:
    tmp = place.scratch / "tmp"
    mount("-t", "tmpfs", "-o", "size=256m", "none", str(tmp))
    with (tmp / "checkpoint.pt").open("wb", buffering=0) as file:
        for _ in range(256):
            file.write(bytes(1 << 20))


def no_numpy(place: Place) -> None:
    for path in place.site.glob("numpy*"):
        shutil.rmtree(path)


def two_opencv(place: Place) -> None:
    place.layer("opencv_python-*.whl", "opencv_python_headless-*.whl")


def pillow_simd(place: Place) -> None:
    """Its metadata beside Pillow's, as `pip install pillow pillow-simd` leaves them."""
    place.layer("pillow-*.whl")
    pillow = next(place.site.glob("pillow-*.dist-info"))
    simd = place.site / "Pillow_SIMD-9.5.0.post2.dist-info"
    shutil.copytree(pillow, simd)
    head = "Metadata-Version: 2.1\nName: Pillow-SIMD\nVersion: 9.5.0.post2\n"
    (simd / "METADATA").write_text(head)
    record = (pillow / "RECORD").read_text()
    (simd / "RECORD").write_text(record.replace(pillow.name, simd.name))


def old_torchvision(place: Place) -> None:
    place.layer("torchvision-0.20.1-*.whl")


def conda_under_pip(place: Place) -> None:
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


def two_toolkits(place: Place) -> None:
    old = place.scratch / "cuda-11.8"
    (old / "bin").mkdir(parents=True)
    (old / "version.json").write_text('{"cuda": {"version": "11.8.0"}}')
    nvcc = "#!/bin/sh\necho 'Cuda compilation tools, release {0}, V{0}.89'\n"
    (old / "bin" / "nvcc").write_text(nvcc.format("11.8"))
    (old / "bin" / "nvcc").chmod(0o755)
    place.program("nvcc", nvcc.format("13.0"))
    place.environ["CUDA_HOME"] = str(old)


def old_driver_cpu_build(place: Place) -> None:
    place.driver("470.82.01", 11040)


def old_driver(place: Place) -> None:
    place.driver("470.82.01", 11040)
    place.cuda_build()


def hidden_gpu(place: Place) -> None:
    place.driver("580.82.07", 13000)
    place.cuda_build()
    place.environ["CUDA_VISIBLE_DEVICES"] = ""


def torch_broken(place: Place) -> None:
    (place.site / "torch" / "lib" / "libtorch_global_deps.so").unlink()


def smi_hangs(place: Place) -> None:
    """nvidia-smi and the library that it would call, as with a wedged driver."""
    place.driver("580.82.07", 13000, *HANG)
    place.program("nvidia-smi", "#!/bin/sh\nexec sleep 3600\n")


def nvml_hangs(place: Place) -> None:
    """The library alone, as in a container without nvidia-smi."""
    place.driver("580.82.07", 13000, *HANG)
    (place.scratch / "bin" / "nvidia-smi").unlink()


def leaked(_: Place) -> None:
    mount("-t", "tmpfs", "-o", "size=1g", "shm", "/dev/shm")
    with subprocess.Popen(["true"]) as gone:
        pass
    for number in range(6):
        segment = Path(f"/dev/shm/torch_{gone.pid}_{number}_0")
        segment.write_bytes(bytes(100 << 20))


def few_processes(place: Place) -> None:
    group("pids", max="24")
    place.undo.append(lambda: leave("pids"))


def quota(place: Place) -> None:
    group("cpu", cfs_period_us="100000", cfs_quota_us="50000")
    place.undo.append(lambda: leave("cpu"))


def little_memory(place: Place) -> None:
    group("memory", limit_in_bytes=str(1 << 30))
    place.undo.append(lambda: leave("memory"))


def dead_mount(place: Place) -> None:
    point = place.scratch / "data"
    point.mkdir()
    place.environ["DATA"] = str(point)
    place.undo.append(hang(str(point)))


def fixed_cache(place: Place) -> None:
    cache = place.scratch / "cache"
    cache.mkdir()
    mount("-t", "tmpfs", "-o", "ro", "none", str(cache))
    place.environ |= {"TORCH_HOME": str(cache), "HF_HOME": str(cache)}


def read_only(place: Place) -> None:
    for folder in (place.venv, place.scratch / "tmp", place.scratch / "home"):
        mount("--bind", str(folder), str(folder))
        mount("-o", "remount,ro,bind", str(folder))


def pythonpath(place: Place) -> None:
    other = place.scratch / "other"
    other.mkdir()
    wheel = next(place.layers.glob("numpy-1.26.4-*.whl"))
    shutil.unpack_archive(wheel, other, "zip")
    place.environ["PYTHONPATH"] = str(other)
