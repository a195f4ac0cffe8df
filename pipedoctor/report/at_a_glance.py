"""The numbers that a maintainer asks for first, in a few lines."""

from collections import Counter
from collections.abc import Iterator

from pipedoctor.facts import (
    Cpu,
    Facts,
    Gpu,
    Interpreter,
    Loader,
    MalformedRecordError,
    Memory,
    Packages,
    Shm,
    TorchBuild,
)
from pipedoctor.report.model import Report
from pipedoctor.units import format_size

OVERVIEW_LIBRARIES = (
    "torchvision",
    "torchaudio",
    "numpy",
    "pillow",
    "opencv-python",
    "webdataset",
)


def build_overview(report: Report) -> list[tuple[str, str]]:
    """What each is, and what is known of it; what is not known says why."""
    known = {"known": report.facts.known, "unknown": report.facts.unknown}
    try:
        facts = Facts.from_record(known)
    except MalformedRecordError:
        return []
    return list(_iter_overview(facts))


def _iter_overview(facts: Facts) -> Iterator[tuple[str, str]]:
    torch, python = facts.get(TorchBuild), facts.get(Interpreter)
    yield (
        "torch",
        _describe_torch(torch) if torch else facts.get_unknown_reason(TorchBuild),
    )
    if python is not None and python.version:
        kind = f" ({python.kind})" if python.kind else ""
        yield "Python", f"{python.version}{kind}"
    libraries = _list_libraries(facts)
    if libraries:
        yield "libraries", libraries
    yield "GPU", _describe_gpu(facts)
    cpu, memory, shm = facts.get(Cpu), facts.get(Memory), facts.get(Shm)
    if cpu is not None:
        bound = f" of {cpu.logical}, bound by: {cpu.binding}"
        yield (
            "CPUs",
            f"{cpu.effective}{bound if cpu.effective < cpu.logical else ''}",
        )
    if memory is not None:
        limit = f", limit {format_size(memory.group.limit)}" if memory.group else ""
        yield "memory", f"{format_size(memory.total)}{limit}"
    if shm is not None:
        yield "/dev/shm", "none" if shm.missing else format_size(shm.size)
    loader = facts.get(Loader)
    if loader is not None and loader.num_workers is not None:
        yield "DataLoader", ", ".join(_describe_loader(loader))


def _describe_torch(torch: TorchBuild) -> str:
    """``2.6.0+cu126 (CUDA 12.6)``."""
    builds = {"CUDA": torch.cuda, "ROCm": torch.hip, "XPU": torch.xpu}
    built = ", ".join(f"{name} {version}" for name, version in builds.items() if version)
    local = f"+{torch.local}" if torch.local else ""
    return f"{torch.version}{local} ({built or 'no GPU backend'})"


def _describe_loader(loader: Loader) -> Iterator[str]:
    yield f"num_workers {loader.num_workers}"
    if loader.prefetch_factor is not None:
        yield f"prefetch_factor {loader.prefetch_factor}"
    if loader.batch_bytes is not None:
        yield f"batches of {format_size(loader.batch_bytes)}"
    if loader.ranks is not None:
        yield f"{loader.ranks} ranks"


def _list_libraries(facts: Facts) -> str:
    packages = facts.get(Packages)
    if packages is None:
        return ""
    found = (packages.find(name) for name in OVERVIEW_LIBRARIES)
    return ", ".join(f"{one.name} {one.version}" for one in found if one)


def _describe_gpu(facts: Facts) -> str:
    gpu = facts.get(Gpu)
    if gpu is None:
        return facts.get_unknown_reason(Gpu)
    if gpu.error or gpu.hang:
        return gpu.error or "the driver does not answer"
    cards = Counter(device.name or "unnamed" for device in gpu.devices)
    models = ", ".join(f"{n} x {name}" for name, n in cards.items()) or "none"
    return f"{models}; driver {gpu.driver or 'unknown'}"
