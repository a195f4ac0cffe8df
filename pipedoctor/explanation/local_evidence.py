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
from pipedoctor.units import format_count, format_size

F = TypeVar("F", bound=Fact)
EvidenceFormatter = Callable[[Facts], str]
_MAX_CARDS = 3
_MAX_PORTS = 8


def describe_evidence(name: str, facts: Facts) -> str:
    """
    The values that the check of this name judges, in words.

    Empty where none is known.
    """
    sentences = (say(facts) for say in CHECK_EVIDENCE.get(name, ()))
    return ", ".join(filter(None, sentences))


def _make_formatter(kind: type[F], say: Callable[[F], str]) -> EvidenceFormatter:
    def describe(facts: Facts) -> str:
        fact = facts.get(kind)
        return "" if fact is None else say(fact)

    return describe


def _describe_shm(shm: Shm) -> str:
    if shm.missing or shm.unlimited:
        return ""
    return f"/dev/shm has {format_size(shm.size)}, {format_size(shm.usable_bytes)} of it free"


def _describe_limit(limit: Rlimit | None, what: str) -> str:
    if limit is None:
        return ""
    soft = "no limit" if limit.soft is None else f"{limit.soft}"
    return f"{what}: {soft}"


def _describe_processes(limits: Limits) -> str:
    own = _describe_limit(limits.nproc, "processes of this user")
    group = f"pids.max: {limits.pids_max}" if limits.pids_max is not None else ""
    return ", ".join(filter(None, (own, group)))


def _describe_inotify(limits: Limits) -> str:
    if limits.inotify_watches is None:
        return ""
    return f"fs.inotify.max_user_watches: {limits.inotify_watches}"


def _describe_mappings(limits: Limits) -> str:
    most = limits.max_map_count
    if most is None:
        return ""
    used = "" if limits.maps is None else f"{limits.maps} of "
    return f"{used}{most} memory mappings"


def _describe_memory(memory: Memory) -> str:
    return f"{format_size(memory.usable_bytes)} of {format_size(memory.limit)} of memory are free"


def _describe_cpus(cpu: Cpu) -> str:
    return f"{format_count(cpu.effective, 'CPU')} usable"


def _describe_gpu(gpu: Gpu) -> str:
    cards = ", ".join(device.name for device in gpu.devices[:_MAX_CARDS] if device.name)
    driver = f"driver {gpu.driver}" if gpu.driver else ""
    return ", ".join(filter(None, (driver, cards)))


def _describe_torch(build: TorchBuild) -> str:
    backend = build.cuda and f"CUDA {build.cuda}"
    backend = backend or (build.hip and f"ROCm {build.hip}")
    return f"torch {build.version} for {backend or 'the CPU'}"


def _make_package_formatter(*names: str) -> EvidenceFormatter:
    def describe(packages: Packages) -> str:
        entries = map(packages.find, names)
        return ", ".join(f"{entry.name} {entry.version}" for entry in entries if entry)

    return _make_formatter(Packages, describe)


def _make_library_formatter(*stems: str) -> EvidenceFormatter:
    def describe(libraries: Libraries) -> str:
        chosen = libraries.find_chosen(*stems)
        named = dict.fromkeys(f"{e.soname} {e.version}".strip() for e in chosen)
        return ", ".join(named)

    return _make_formatter(Libraries, describe)


def _make_room_formatter(*roles: str) -> EvidenceFormatter:
    def describe_each(paths: Paths) -> Iterator[str]:
        for entry in paths.find_roles(*roles):
            if entry.free is not None:
                yield f"{entry.path} has {format_size(entry.free)} free"

    return _make_formatter(Paths, lambda paths: ", ".join(dict.fromkeys(describe_each(paths))))


def _describe_writable(paths: Paths) -> str:
    places = (e.path for e in paths.find_roles("cache", "home") if e.writable)
    named = ", ".join(dict.fromkeys(places))
    return f"writable: {named}" if named else ""


def _describe_tmpdir(paths: Paths) -> str:
    entries = (e for e in paths.find_roles("tmp") if e.mount is not None)
    return ", ".join(f"{e.path} is on {e.mount.fstype}" for e in entries if e.mount)


def _describe_ports(ports: Ports) -> str:
    taken = ", ".join(f"{one.port}" for one in ports.listening[:_MAX_PORTS])
    more = len(ports.listening) - _MAX_PORTS
    return f"ports in use: {taken or 'none'}" + (f" and {more} more" if more > 0 else "")


def _describe_lengths(paths: Paths) -> str:
    folders = dict.fromkeys(entry.path for entry in paths.find_roles("tmp"))
    return ", ".join(f"{path} is {len(path.encode())} bytes long" for path in folders)


def _describe_nodes(accelerators: Accelerators) -> str:
    shut = set(accelerators.unusable_nodes)
    may = [node for node in accelerators.nvidia_nodes if node not in shut]
    return f"{', '.join(may)} can be opened" if may else ""


def _describe_pillow(images: ImageStack) -> str:
    version = images.pillow_version
    return f"Pillow {version} and its extension module" if version else ""


def _describe_opencv(libraries: Libraries) -> str:
    count = sum(name.startswith("cv2/") for name in libraries.examined)
    return f"{format_count(count, 'OpenCV file')}: no library is missing" if count else ""


def _describe_threads(threads: Threads) -> str:
    return ", ".join(f"{name}={value}" for name, value in threads.asked.items())


def _describe_removeipc(logind: Logind) -> str:
    if not logind.running:
        return "systemd-logind is not running"
    return "" if logind.remove_ipc is None else f"RemoveIPC={logind.remove_ipc}"


def _describe_rates(datasets: DataSets) -> str:
    rates = (_describe_rate(e.path, e.cold_read) for e in datasets.entries if e.cold_read)
    return ", ".join(filter(None, rates))


def _describe_rate(path: str, cold_read: ColdRead) -> str:
    files, size = cold_read.small_files_per_second, cold_read.bytes_per_second
    rates = (
        f"{files:.0f} small files/s" if files else "",
        f"{format_size(int(size))}/s" if size else "",
    )
    gets = " and ".join(filter(None, rates))
    return f"{path}: one reader reads {gets}" if gets else ""


def _describe_import(torch: TorchImport) -> str:
    return "import torch succeeds" if torch.ok else ""


def _make_conda_formatter(*names: str) -> EvidenceFormatter:
    def describe(conda: Conda) -> str:
        entries = map(conda.find, names)
        return ", ".join(f"{entry.name} {entry.version}" for entry in entries if entry)

    return _make_formatter(Conda, describe)


_TORCH_EVIDENCE = _make_formatter(TorchBuild, _describe_torch)
_GPU_EVIDENCE = _make_formatter(Gpu, _describe_gpu)
_MEMORY_EVIDENCE = _make_formatter(Memory, _describe_memory)
_SHM_EVIDENCE = _make_formatter(Shm, _describe_shm)
CHECK_EVIDENCE: Mapping[str, tuple[EvidenceFormatter, ...]] = {
    "shm-too-small": (_SHM_EVIDENCE,),
    "nccl-shm-too-small": (_SHM_EVIDENCE,),
    "leaked-shm-segments": (_SHM_EVIDENCE,),
    "fd-limit-exhausted": (
        _make_formatter(Limits, lambda x: _describe_limit(x.nofile, "open files")),
    ),
    "process-limit-reached": (_make_formatter(Limits, _describe_processes),),
    "inotify-limit": (_make_formatter(Limits, _describe_inotify),),
    "map-count-low": (_make_formatter(Limits, _describe_mappings),),
    "systemd-removeipc": (_make_formatter(Logind, _describe_removeipc),),
    "memory-limit-too-low": (_MEMORY_EVIDENCE,),
    "overcommit-refuses": (_MEMORY_EVIDENCE,),
    "cgroup-cpu-quota-ignored": (_make_formatter(Cpu, _describe_cpus),),
    "too-many-workers-for-cpus": (_make_formatter(Cpu, _describe_cpus),),
    "thread-oversubscription": (
        _make_formatter(Cpu, _describe_cpus),
        _make_formatter(Threads, _describe_threads),
    ),
    "cpu-lacks-instruction-set": (_make_formatter(Cpu, lambda cpu: cpu.model),),
    "disk-full": (_make_room_formatter("tmp", "cache", "data", "cwd"),),
    "cache-dir-not-writable": (_make_formatter(Paths, _describe_writable),),
    "master-port-in-use": (_make_formatter(Ports, _describe_ports),),
    "slow-storage": (_make_formatter(DataSets, _describe_rates),),
    "tmpdir-on-network-fs": (_make_formatter(Paths, _describe_tmpdir),),
    "tmpdir-path-too-long": (_make_formatter(Paths, _describe_lengths),),
    "nvidia-uvm-state-broken": (_make_formatter(Accelerators, _describe_nodes),),
    "driver-too-old": (_GPU_EVIDENCE, _TORCH_EVIDENCE),
    "nvidia-driver-missing": (_GPU_EVIDENCE,),
    "nvml-driver-library-mismatch": (_GPU_EVIDENCE,),
    "gpu-hardware-fault": (_GPU_EVIDENCE,),
    "gpu-arch-not-in-build": (_GPU_EVIDENCE, _TORCH_EVIDENCE),
    "cpu-only-torch-build": (_TORCH_EVIDENCE,),
    "cuda-unavailable-despite-fitting-driver": (_GPU_EVIDENCE, _TORCH_EVIDENCE),
    "cudnn-version-conflict": (_make_library_formatter("libcudnn.so"),),
    "cuda-libs-shadowed-by-ld-library-path": (_make_library_formatter("libcublas.", "libcudart."),),
    "duplicate-openmp-runtime": (_make_library_formatter("libgomp", "libiomp5", "libomp"),),
    "libstdcxx-too-old": (_make_library_formatter("libstdc++"),),
    "windows-missing-runtime-dll": (_make_formatter(TorchImport, _describe_import),),
    "glibc-too-old": (
        _make_formatter(Interpreter, lambda here: here.glibc and f"glibc {here.glibc}"),
    ),
    "mkl-2024-1-symbol-missing": (_make_conda_formatter("pytorch", "mkl"),),
    "mixed-torch-installs": (_make_package_formatter("torch"),),
    "torch-torchvision-mismatch": (_make_package_formatter("torch", "torchvision"),),
    "torchvision-build-mismatch": (_make_package_formatter("torch", "torchvision"),),
    "torch-torchaudio-mismatch": (_make_package_formatter("torch", "torchaudio"),),
    "torch-extension-abi-mismatch": (_TORCH_EVIDENCE,),
    "numpy2-abi-mismatch": (_make_package_formatter("torch", "numpy"),),
    "pillow-binary-broken": (
        _make_package_formatter("pillow", "pillow-simd"),
        _make_formatter(ImageStack, _describe_pillow),
    ),
    "opencv-system-lib-missing": (
        _make_package_formatter("opencv-python", "opencv-python-headless"),
        _make_formatter(Libraries, _describe_opencv),
    ),
}
"""By the name of the check: what it looks at first."""
