"""The numbers that a maintainer asks for first, in a few lines."""

from collections import Counter
from collections.abc import Iterator

from pipedoctor.facts import (
    Cpu,
    Facts,
    Gpu,
    Interpreter,
    Loader,
    Malformed,
    Memory,
    Packages,
    Shm,
    TorchBuild,
)
from pipedoctor.report.model import Report
from pipedoctor.units import human

LIBRARIES = (
    "torchvision",
    "torchaudio",
    "numpy",
    "pillow",
    "opencv-python",
    "webdataset",
)


def rows(report: Report) -> list[tuple[str, str]]:
    """What each is, and what is known of it; what is not known says why."""
    known = {"known": report.facts.known, "unknown": report.facts.unknown}
    try:
        facts = Facts.from_record(known)
    except Malformed:
        return []
    return list(_rows(facts))


def _rows(facts: Facts) -> Iterator[tuple[str, str]]:
    torch, python = facts.get(TorchBuild), facts.get(Interpreter)
    build = torch.cuda or torch.hip or torch.xpu or "no GPU backend" if torch else ""
    yield (
        "torch",
        f"{torch.version}{f'+{torch.local}' if torch.local else ''} ({build})"
        if torch
        else facts.why_unknown(TorchBuild),
    )
    if python is not None and python.version:
        kind = f" ({python.kind})" if python.kind else ""
        yield "Python", f"{python.version}{kind}"
    libraries = _libraries(facts)
    if libraries:
        yield "libraries", libraries
    yield "GPU", _gpu(facts)
    cpu, memory, shm = facts.get(Cpu), facts.get(Memory), facts.get(Shm)
    if cpu is not None:
        yield "CPUs", f"{cpu.effective} of {cpu.logical}, bound by: {cpu.binding}"
    if memory is not None:
        limit = f", limit {human(memory.group.limit)}" if memory.group else ""
        yield "memory", f"{human(memory.total)}{limit}"
    if shm is not None:
        yield "/dev/shm", "none" if shm.missing else human(shm.size)
    loader = facts.get(Loader)
    if loader is not None and loader.num_workers is not None:
        yield "DataLoader", f"num_workers {loader.num_workers}"


def _libraries(facts: Facts) -> str:
    packages = facts.get(Packages)
    if packages is None:
        return ""
    found = (packages.find(name) for name in LIBRARIES)
    return ", ".join(f"{one.name} {one.version}" for one in found if one)


def _gpu(facts: Facts) -> str:
    gpu = facts.get(Gpu)
    if gpu is None:
        return facts.why_unknown(Gpu)
    if gpu.error or gpu.hang:
        return gpu.error or "the driver does not answer"
    cards = Counter(device.name or "unnamed" for device in gpu.devices)
    said = ", ".join(f"{n} x {name}" for name, n in cards.items()) or "none"
    return f"{said}; driver {gpu.driver or 'unknown'}"
