"""The settings that the text of a remedy makes, whichever tool it is for."""

import itertools
import re
from collections.abc import Iterator, Mapping

import msgspec

from pipedoctor.check import Remedy
from pipedoctor.lazy_pattern import compile_lazily

_EXPORT = compile_lazily(r"^\s*export\s+(.+)$", re.MULTILINE)
_ASSIGNMENT = compile_lazily(r"([A-Z][A-Z0-9_]*)=(\S+)")
_UNSET = compile_lazily(r"^\s*unset\s+(\w+)", re.MULTILINE)
_ARGUMENT = compile_lazily(r"\b(num_workers|prefetch_factor)\s*=\s*(\d+)")
_SHM_MOUNT = compile_lazily(r"(?:^|,)size=(\w+)$")


class _Resources(msgspec.Struct):
    limits: dict[str, str] = {}


class _Container(msgspec.Struct):
    resources: _Resources = msgspec.field(default_factory=_Resources)


class _Volume(msgspec.Struct, rename={"empty_dir": "emptyDir"}):
    empty_dir: dict[str, str] = {}


class _Pod(msgspec.Struct):
    containers: list[_Container] = []
    volumes: list[_Volume] = []


class _PodTemplate(msgspec.Struct):
    spec: _Pod = msgspec.field(default_factory=_Pod)


class _Deployment(msgspec.Struct):
    template: _PodTemplate = msgspec.field(default_factory=_PodTemplate)


class _Patch(msgspec.Struct):
    spec: _Deployment = msgspec.field(default_factory=_Deployment)


class RemedySettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a remedy sets: `unset` variables are empty in `variables`."""

    variables: Mapping[str, str] = {}
    options: Mapping[str, str] = {}
    """Of containers and jobs: ``memory``, ``cpus``, ``shm-size``, ``shm-mode``, ``pids-limit``."""
    kernel: Mapping[str, str] = {}
    """Names of `sysctl`."""
    limits: Mapping[str, str] = {}
    """``nofile`` and ``nproc``: soft, or ``soft:hard``."""
    arguments: Mapping[str, int] = {}
    """Of the DataLoader."""
    removed: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Is nothing of it understood?"""
        return not any(msgspec.structs.astuple(self))


def read_settings(remedy: Remedy) -> RemedySettings:
    """Read what the command and the code of a remedy set."""
    argv = remedy.argv
    options = dict(_read_options(argv)) | _read_patch(argv)
    if argv[:2] == ("mount", "-o") and argv[-1] == "/dev/shm":
        match = _SHM_MOUNT.search(argv[2])
        options |= {"shm-size": match[1]} if match else {}
        options |= {"shm-mode": "rw"} if "rw" in argv[2].split(",") else {}
    return RemedySettings(
        variables=_read_variables(remedy),
        options=options,
        kernel=dict(_split(argv[2])) if argv[:2] == ("sysctl", "-w") else {},
        limits=dict(_read_limits(argv)),
        arguments={name: int(value) for name, value in _ARGUMENT.findall(remedy.snippet)},
        removed=remedy.removes,
    )


def _split(text: str) -> Iterator[tuple[str, str]]:
    name, equals, value = text.partition("=")
    if equals:
        yield name, value


def _read_variables(remedy: Remedy) -> dict[str, str]:
    argv, found = remedy.argv, dict[str, str]()
    for line in _EXPORT.findall(remedy.snippet):
        found.update(_ASSIGNMENT.findall(line))
    found.update(dict.fromkeys(_UNSET.findall(remedy.snippet), ""))
    if argv[:1] == ("unset",):
        found.update(dict.fromkeys(argv[1:], ""))
    elif argv[:3] == ("kubectl", "set", "env"):
        found.update(pair for word in argv[3:] for pair in _split(word))
    elif argv[1:2] == ("run",):
        for flag, value in itertools.pairwise(argv):
            found.update(_split(value) if flag == "-e" else ())
    return found


def _read_options(argv: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """``--name=value`` of containers and batch jobs, and properties of a unit."""
    if argv[1:2] == ("run",) or argv[:1] == ("sbatch",):
        for word in argv:
            if word.startswith("--"):
                yield from _split(word[2:])
    elif argv[:2] == ("systemctl", "set-property"):
        names = {"MemoryMax": "memory", "TasksMax": "pids-limit"}
        for word in argv[3:]:
            yield from ((names[name], value) for name, value in _split(word) if name in names)


def _read_limits(argv: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if argv[:1] == ("prlimit",):
        for word in argv:
            yield from _split(word[2:])
    elif argv[:1] == ("ulimit",) and len(argv) == 3:  # noqa: PLR2004  (ulimit -n N)
        yield {"-n": "nofile", "-u": "nproc"}.get(argv[1], ""), argv[2]


def _read_patch(argv: tuple[str, ...]) -> dict[str, str]:
    """The limits and the memory volume that a patch of Kubernetes sets."""
    if argv[:2] != ("kubectl", "patch"):
        return {}
    try:
        pod = msgspec.json.decode(argv[-1], type=_Patch).spec.template.spec
    except msgspec.MsgspecError:  # a patch of another kind
        return {}
    found: dict[str, str] = {}
    for container in pod.containers:
        limits = container.resources.limits
        found |= {{"cpu": "cpus"}.get(name, name): value for name, value in limits.items()}
    sizes = (volume.empty_dir.get("sizeLimit") for volume in pod.volumes)
    size = next(filter(None, sizes), None)
    return found | ({"shm-size": size} if size else {})
