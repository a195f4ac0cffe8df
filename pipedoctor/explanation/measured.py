"""What was measured here, said where it rules a cause out."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from pipedoctor.facts import (
    Accelerators,
    ColdRead,
    Conda,
    Cpu,
    DataSets,
    Fact,
    Facts,
    Gpu,
    ImageStack,
    Interpreter,
    Libraries,
    Limits,
    Logind,
    Memory,
    Packages,
    Paths,
    Ports,
    Rlimit,
    Shm,
    Threads,
    TorchBuild,
    TorchImport,
)
from pipedoctor.units import human, many

F = TypeVar("F", bound=Fact)
Say = Callable[[Facts], str]
_CARDS = 3
_SHOWN = 8


def measured(name: str, facts: Facts) -> str:
    """The values that the check of this name has judged; empty where none is known."""
    said = (say(facts) for say in SAID.get(name, ()))
    return ", ".join(filter(None, said))


def _of(kind: type[F], say: Callable[[F], str]) -> Say:
    def words(facts: Facts) -> str:
        fact = facts.get(kind)
        return "" if fact is None else say(fact)

    return words


def _shm(shm: Shm) -> str:
    if shm.missing or shm.unlimited:
        return ""
    return f"/dev/shm has {human(shm.size)}, {human(shm.room)} of it free"


def _limit(limit: Rlimit | None, what: str) -> str:
    if limit is None:
        return ""
    soft = "no limit" if limit.soft is None else f"{limit.soft}"
    return f"{what}: {soft}"


def _processes(limits: Limits) -> str:
    own = _limit(limits.nproc, "processes of this user")
    group = f"pids.max: {limits.pids_max}" if limits.pids_max is not None else ""
    return ", ".join(filter(None, (own, group)))


def _inotify(limits: Limits) -> str:
    if limits.inotify_watches is None:
        return ""
    return f"fs.inotify.max_user_watches: {limits.inotify_watches}"


def _mappings(limits: Limits) -> str:
    most = limits.max_map_count
    if most is None:
        return ""
    used = "" if limits.maps is None else f"{limits.maps} of "
    return f"{used}{most} memory mappings"


def _memory(memory: Memory) -> str:
    return f"{human(memory.room)} of {human(memory.limit)} of memory are free"


def _cpus(cpu: Cpu) -> str:
    return f"{many(cpu.effective, 'CPU')} can be kept busy"


def _gpu(gpu: Gpu) -> str:
    cards = ", ".join(device.name for device in gpu.devices[:_CARDS] if device.name)
    driver = f"driver {gpu.driver}" if gpu.driver else ""
    return ", ".join(filter(None, (driver, cards)))


def _torch(build: TorchBuild) -> str:
    backend = build.cuda and f"CUDA {build.cuda}"
    backend = backend or (build.hip and f"ROCm {build.hip}")
    return f"torch {build.version} for {backend or 'the CPU'}"


def _versions(*names: str) -> Say:
    def words(packages: Packages) -> str:
        found = map(packages.find, names)
        return ", ".join(f"{entry.name} {entry.version}" for entry in found if entry)

    return _of(Packages, words)


def _libraries(*stems: str) -> Say:
    def words(libraries: Libraries) -> str:
        chosen = libraries.chosen(*stems)
        named = dict.fromkeys(f"{e.soname} {e.version}".strip() for e in chosen)
        return ", ".join(named)

    return _of(Libraries, words)


def _room(*roles: str) -> Say:
    def each(paths: Paths) -> Iterator[str]:
        for entry in paths.of(*roles):
            if entry.free is not None:
                yield f"{entry.path} has {human(entry.free)} free"

    return _of(Paths, lambda paths: ", ".join(dict.fromkeys(each(paths))))


def _writable(paths: Paths) -> str:
    places = (e.path for e in paths.of("cache", "home") if e.writable)
    named = ", ".join(dict.fromkeys(places))
    return f"writable: {named}" if named else ""


def _tmpdir(paths: Paths) -> str:
    found = (e for e in paths.of("tmp") if e.mount is not None)
    return ", ".join(f"{e.path} is on {e.mount.fstype}" for e in found if e.mount)


def _ports(ports: Ports) -> str:
    taken = ", ".join(f"{one.port}" for one in ports.listening[:_SHOWN])
    more = len(ports.listening) - _SHOWN
    return f"ports in use: {taken or 'none'}" + (
        f" and {more} more" if more > 0 else ""
    )


def _lengths(paths: Paths) -> str:
    found = dict.fromkeys(entry.path for entry in paths.of("tmp"))
    return ", ".join(f"{path} has {len(path.encode())} bytes" for path in found)


def _nodes(accelerators: Accelerators) -> str:
    shut = set(accelerators.unusable_nodes)
    may = [node for node in accelerators.nvidia_nodes if node not in shut]
    return f"{', '.join(may)} may be opened" if may else ""


def _pillow(images: ImageStack) -> str:
    version = images.pillow_version
    return f"Pillow {version} and its compiled part" if version else ""


def _examined(libraries: Libraries) -> str:
    count = sum(name.startswith("cv2/") for name in libraries.examined)
    return f"{many(count, 'file')} of OpenCV: no library is missing" if count else ""


def _threads(threads: Threads) -> str:
    return ", ".join(f"{name}={value}" for name, value in threads.asked.items())


def _removeipc(logind: Logind) -> str:
    if not logind.running:
        return "systemd-logind does not run"
    return "" if logind.remove_ipc is None else f"RemoveIPC={logind.remove_ipc}"


def _rates(datasets: DataSets) -> str:
    found = (_rate(e.path, e.cold_read) for e in datasets.entries if e.cold_read)
    return ", ".join(filter(None, found))


def _rate(path: str, read: ColdRead) -> str:
    files, size = read.small_files_per_second, read.bytes_per_second
    rates = (
        f"{files:.0f} small files/s" if files else "",
        f"{human(int(size))}/s" if size else "",
    )
    gets = " and ".join(filter(None, rates))
    return f"{path}: one reader gets {gets}" if gets else ""


def _imported(torch: TorchImport) -> str:
    return "import torch works" if torch.ok else ""


def _recorded(*names: str) -> Say:
    def words(conda: Conda) -> str:
        found = map(conda.find, names)
        return ", ".join(f"{entry.name} {entry.version}" for entry in found if entry)

    return _of(Conda, words)


_TORCH = _of(TorchBuild, _torch)
_GPU = _of(Gpu, _gpu)
_MEMORY = _of(Memory, _memory)
_SHM = _of(Shm, _shm)
SAID: Mapping[str, tuple[Say, ...]] = {
    "shm-too-small": (_SHM,),
    "nccl-shm-too-small": (_SHM,),
    "leaked-shm-segments": (_SHM,),
    "fd-limit-exhausted": (_of(Limits, lambda x: _limit(x.nofile, "open files")),),
    "process-limit-reached": (_of(Limits, _processes),),
    "inotify-limit": (_of(Limits, _inotify),),
    "map-count-low": (_of(Limits, _mappings),),
    "systemd-removeipc": (_of(Logind, _removeipc),),
    "memory-limit-too-low": (_MEMORY,),
    "overcommit-refuses": (_MEMORY,),
    "cgroup-cpu-quota-ignored": (_of(Cpu, _cpus),),
    "too-many-workers-for-cpus": (_of(Cpu, _cpus),),
    "thread-oversubscription": (_of(Cpu, _cpus), _of(Threads, _threads)),
    "cpu-lacks-instruction-set": (_of(Cpu, lambda cpu: cpu.model),),
    "disk-full": (_room("tmp", "cache", "data", "cwd"),),
    "cache-dir-not-writable": (_of(Paths, _writable),),
    "master-port-in-use": (_of(Ports, _ports),),
    "slow-storage": (_of(DataSets, _rates),),
    "tmpdir-on-network-fs": (_of(Paths, _tmpdir),),
    "tmpdir-path-too-long": (_of(Paths, _lengths),),
    "nvidia-uvm-state-broken": (_of(Accelerators, _nodes),),
    "driver-too-old": (_GPU, _TORCH),
    "nvidia-driver-missing": (_GPU,),
    "nvml-driver-library-mismatch": (_GPU,),
    "gpu-hardware-fault": (_GPU,),
    "gpu-arch-not-in-build": (_GPU, _TORCH),
    "cpu-only-torch-build": (_TORCH,),
    "cuda-unavailable-despite-fitting-driver": (_GPU, _TORCH),
    "cudnn-version-conflict": (_libraries("libcudnn.so"),),
    "cuda-libs-shadowed-by-ld-library-path": (_libraries("libcublas.", "libcudart."),),
    "duplicate-openmp-runtime": (_libraries("libgomp", "libiomp5", "libomp"),),
    "libstdcxx-too-old": (_libraries("libstdc++"),),
    "windows-missing-runtime-dll": (_of(TorchImport, _imported),),
    "glibc-too-old": (
        _of(Interpreter, lambda here: here.glibc and f"glibc {here.glibc}"),
    ),
    "mkl-2024-1-symbol-missing": (_recorded("pytorch", "mkl"),),
    "mixed-torch-installs": (_versions("torch"),),
    "torch-torchvision-mismatch": (_versions("torch", "torchvision"),),
    "torchvision-build-mismatch": (_versions("torch", "torchvision"),),
    "torch-torchaudio-mismatch": (_versions("torch", "torchaudio"),),
    "torch-extension-abi-mismatch": (_TORCH,),
    "numpy2-abi-mismatch": (_versions("torch", "numpy"),),
    "pillow-binary-broken": (
        _versions("pillow", "pillow-simd"),
        _of(ImageStack, _pillow),
    ),
    "opencv-system-lib-missing": (
        _versions("opencv-python", "opencv-python-headless"),
        _of(Libraries, _examined),
    ),
}
"""By the name of the check: what it looks at first."""
