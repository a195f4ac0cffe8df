"""From the facts of one section to the properties of it that are compared."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from pipedoctor.facts import (
    Conda,
    Fact,
    ImageStack,
    Libraries,
    Requirements,
    Site,
    Threads,
    TorchBuild,
    Variables,
)
from pipedoctor.fleet import accelerator_properties, dataset_properties, path_properties
from pipedoctor.fleet.properties import KNOWN_PROPERTIES

Pairs: TypeAlias = Iterator[tuple[str, Any]]

_GPU_UUID = re.compile(r"\b(GPU|MIG)-[0-9a-fA-F][-/0-9a-fA-F]+")
"""What CUDA_VISIBLE_DEVICES may name instead of a number: each node has its own."""
NODE_VARIABLES = frozenset(("CONDA_PREFIX", "VIRTUAL_ENV", "PYTHONHOME"))
"""They name a place of this user or node."""
_BLANK_IS_NONE = frozenset(
    (
        "site.container",
        "site.virtual",
        "site.notebook",
        "torch.local",
        "torch.cuda",
        "torch.hip",
        "torch.xpu",
        "torch_import.error",
        "interpreter.startup_error",
        "image_stack.pillow_broken",
    )
)
"""Texts that mean *none* where they are empty; elsewhere nobody knows then."""
_NULL_IS_NONE = frozenset(
    (
        "limits.nofile.soft",
        "limits.nofile.hard",
        "limits.nproc.soft",
        "limits.nproc.hard",
        "limits.memlock.soft",
        "limits.memlock.hard",
    )
)
"""Numbers that mean *unlimited* where they are null."""
_PLAIN: Mapping[str, tuple[str, ...]] = {
    section: tuple(name for name in KNOWN_PROPERTIES if name.startswith(f"{section}."))
    for section in ("site", "limits", "logind", "torch", "node_probe")
} | {
    "shm": ("shm.fstype", "shm.mounted", "shm.read_only", "shm.missing"),
    "cpu": (
        "cpu.logical",
        "cpu.physical",
        "cpu.model",
        "cpu.affinity",
        "cpu.cpuset",
        "cpu.isolated",
        "cpu.slurm_cpus",
        "cpu.governor",
        "cpu.scaling_driver",
        "cpu.max_frequency",
    ),
    "memory": (
        "memory.total",
        "memory.swap_total",
        "memory.overcommit",
        "memory.swappiness",
        "memory.transparent_hugepages",
        "memory.hugepage_defrag",
    ),
    "interpreter": (
        "interpreter.version",
        "interpreter.implementation",
        "interpreter.kind",
        "interpreter.manager",
        "interpreter.glibc",
        "interpreter.bits",
        "interpreter.startup_error",
    ),
    "torch_import": (
        "torch_import.ok",
        "torch_import.version",
        "torch_import.cuda_available",
        "torch_import.device_count",
        "torch_import.cudnn_version",
        "torch_import.numpy_ok",
    ),
    "image_stack": ("image_stack.pillow_version", "image_stack.pillow_broken"),
}


def list_properties(fact: Fact) -> dict[str, Any]:
    """Compared properties of a section; those that nobody knows are not in it."""
    unsaid = _is_unknown(fact)
    found = {name: value for name, value in _list_plain_properties(fact) if name not in unsaid}
    more = _MORE.get(fact.section)
    if more is not None:
        found.update(more(fact))
    return found


def _is_unknown(fact: Fact) -> tuple[str, ...]:
    """Fields whose empty value says nothing: their source could not tell."""
    if isinstance(fact, TorchBuild) and not fact.known_backend:
        return ("torch.cuda", "torch.hip", "torch.xpu")
    if isinstance(fact, Site) and not fact.place_known:
        return ("site.container", "site.virtual")
    return ()


_FIELDS: Mapping[str, Sequence[tuple[str, Sequence[str]]]] = {
    section: tuple((name, name.split(".")[1:]) for name in names)
    for section, names in _PLAIN.items()
}
"""Names with the attributes that lead to the value."""


def _list_plain_properties(fact: Fact) -> Pairs:
    for name, way in _FIELDS.get(fact.section, ()):
        value = _get_field(fact, way)
        if value is None:
            if name in _NULL_IS_NONE and _get_field(fact, way[:-1]):
                yield name, None
        elif value == "" and name not in _BLANK_IS_NONE:
            continue
        elif isinstance(value, tuple):
            yield name, len(cast("tuple[object, ...]", value))
        else:
            yield name, value


def _get_field(fact: Fact, way: Sequence[str]) -> Any:
    """The field at the end of these attributes; None where one of them is missing."""
    value: Any = fact
    for part in way:
        value = getattr(value, part, None)
    return value


def _list_shm(fact: Any) -> Pairs:
    yield "shm.size", None if fact.unlimited else 0 if fact.missing else fact.size


def _list_cpu(fact: Any) -> Pairs:
    if not fact.quota_unknown:
        yield "cpu.quota.cpus", fact.quota.cpus if fact.quota else None
    if fact.flags:
        yield "cpu.flags", " ".join(sorted(fact.flags))
    if fact.numa:
        yield "cpu.numa", len(fact.numa)
        sizes = [node.memory for node in fact.numa]
        if None not in sizes:
            yield "cpu.numa.memory", min(sizes)


def _list_memory(fact: Any) -> Pairs:
    if not fact.group_unknown:
        yield "memory.group.limit", fact.group.limit if fact.group else None
    if fact.group and fact.group.swap is not None:
        yield "memory.group.swap", fact.group.swap


def _list_threads(fact: Threads) -> Pairs:
    for name, value in fact.asked.items():
        yield f"threads.asked.{name}", value
    for name, text in fact.odd.items():
        yield f"threads.odd.{name}", text


def _list_variables(fact: Variables) -> Pairs:
    for name, value in fact.values.items():
        if name not in NODE_VARIABLES:
            yield f"variables.values.{name}", _GPU_UUID.sub(r"\1-...", value)


def _list_interpreter(fact: Any) -> Pairs:
    yield "interpreter.user_site", bool(fact.user_site)


def _list_torch_import(fact: Any) -> Pairs:
    yield "torch_import.error", fact.signal or _get_first_line(fact.error)
    yield "torch_import.hang", fact.hang is not None


def _get_first_line(text: str) -> str:
    return text.partition("\n")[0].partition(":")[0]


def _list_packages(fact: Any) -> Pairs:
    if not fact.complete:
        return
    for entry in reversed(fact.entries):  # the first of a name is imported
        yield f"packages.{entry.name}", entry.version


def _list_conda(fact: Conda) -> Pairs:
    for record in fact.packages:
        yield f"conda.packages.{record.name}", record.version


def _list_requirements(fact: Requirements) -> Pairs:
    unmet = sorted(f"{one.owner}: {one.requirement}" for one in fact.unmet)
    yield "requirements.unmet", "; ".join(unmet)


def _list_libraries(fact: Libraries) -> Pairs:
    for entry in reversed(fact.entries):
        if entry.chosen and entry.version:
            yield f"libraries.{entry.soname}", entry.version
    yield "libraries.missing", ", ".join(sorted({one.soname for one in fact.missing}))
    unmet = {version for one in fact.unmet for version in one.versions}
    yield "libraries.unmet", ", ".join(sorted(unmet))


def _list_image_stack(fact: ImageStack) -> Pairs:
    for one in reversed(fact.decoders):
        yield f"image_stack.{one.name}", one.version
        for field in ("libjpeg_turbo", "libjpeg_kind", "simd"):
            if value := getattr(one, field):
                yield f"image_stack.{one.name}.{field}", value


_MORE: Mapping[str, Callable[[Any], Pairs]] = {
    "shm": _list_shm,
    "cpu": _list_cpu,
    "memory": _list_memory,
    "threads": _list_threads,
    "variables": _list_variables,
    "interpreter": _list_interpreter,
    "torch_import": _list_torch_import,
    "packages": _list_packages,
    "conda": _list_conda,
    "requirements": _list_requirements,
    "libraries": _list_libraries,
    "image_stack": _list_image_stack,
    "paths": path_properties.list_path_properties,
    "datasets": dataset_properties.list_dataset_properties,
    "bench_disk": dataset_properties.list_disk_properties,
    "gpu": accelerator_properties.list_gpu_properties,
    "accelerators": accelerator_properties.list_accelerator_properties,
}
