"""Remedies for a container as Compose, or as a Dockerfile, has them."""

import shlex
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from pipedoctor.check.manifest import YamlNode, render_yaml
from pipedoctor.check.remedy import Place, Remedy

_INSTALLERS = frozenset({"python", "pip", "apt-get", "conda", "uv"})
_GPUS: YamlNode = {
    "resources": {
        "reservations": {"devices": [{"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}]}
    }
}


def _read_ulimit(value: str) -> YamlNode:
    """``nofile=65536:524288``"""
    name, _, limits = value.partition("=")
    soft, _, hard = limits.partition(":")
    return {name: {"soft": int(soft), "hard": int(hard or soft)}}


_KEYS: Mapping[str, Callable[[str], tuple[str, YamlNode]]] = {
    "--shm-size": lambda value: ("shm_size", f"{value}b" if value[-1:] in "mg" else value),
    "--ipc": lambda value: ("ipc", value),
    "--cpus": lambda value: ("cpus", value),
    "--memory": lambda value: ("mem_limit", value),
    "--pids-limit": lambda value: ("pids_limit", int(value)),
    "--network": lambda value: ("network_mode", value),
    "--gpus": lambda _: ("deploy", _GPUS),
    "--ulimit": lambda value: ("ulimits", _read_ulimit(value)),
    "--security-opt": lambda value: ("security_opt", [value]),
    "-v": lambda value: ("volumes", [value.replace("$PWD/", "./", 1)]),
}
"""Flags of ``docker run``, and the key of a service that says the same."""

_OF_BUILD = frozenset({"--shm-size", "--ulimit", "--network", "--memory", "--cpu-shares"})
"""Flags, written with ``=``, that the build of an image has, too."""


def translate_for_compose(remedy: Remedy) -> Remedy:
    """Keys of the service instead of flags; the same where a flag has no such key."""
    if remedy.argv[:2] != ("docker", "run"):
        return remedy
    keys = _read_flags(remedy.argv[2:])
    if not keys:
        return remedy
    title = remedy.title.replace("Start the container", "Start the service")
    return replace(remedy, title=title, argv=(), snippet=render_yaml({"services": {"train": keys}}))


def translate_for_podman(remedy: Remedy) -> Remedy:
    """The same flags for Podman, whose GPUs are devices of CDI."""
    if remedy.argv[:2] != ("docker", "run"):
        return remedy
    words = shlex.join(remedy.argv[1:]).replace("--gpus all", "--device nvidia.com/gpu=all")
    return replace(remedy, argv=("podman", *shlex.split(words)))


def _read_flags(words: tuple[str, ...]) -> dict[str, YamlNode]:
    """Empty: one of them is not known."""
    keys: dict[str, YamlNode] = {}
    variables: dict[str, YamlNode] = {}
    rest = iter(words)
    for word in rest:
        name, sign, value = word.partition("=")
        value = value if sign else next(rest, "")
        if name == "-e" and value:
            variable, _, text = value.partition("=")
            variables[variable] = text
        elif name in _KEYS and value:
            key, node = _KEYS[name](value)
            keys[key] = node
        else:
            return {}
    return {**keys, "environment": variables} if variables else keys


def _write_build(remedy: Remedy) -> Remedy:
    """Variables in the Dockerfile; the flags that ``docker build`` has, in its command."""
    keys = _read_flags(remedy.argv[2:])
    variables = keys.get("environment")
    if isinstance(variables, dict) and len(keys) == 1 and "TOKEN" not in "".join(variables):
        pairs = (f"{name}={shlex.quote(f'{value}')}" for name, value in variables.items())
        return _put_line(remedy, f"ENV {' '.join(pairs)}")
    flags = [word for word in remedy.argv[2:] if word.partition("=")[0] in _OF_BUILD]
    if flags != [*remedy.argv[2:]]:
        return remedy
    title = remedy.title.replace("Start the container", "Build the image")
    return replace(remedy, title=title, argv=("docker", "build", *flags, "."))


def translate_for_dockerfile(remedy: Remedy) -> Remedy:
    """A line of the Dockerfile for what would be typed; the same for anything else."""
    if remedy.argv[:2] == ("docker", "run"):
        return _write_build(remedy)
    if remedy.argv[:1] and remedy.argv[0] in _INSTALLERS:
        line = shlex.join(remedy.argv)
        if remedy.argv[0] == "apt-get":
            line = f"apt-get update && {line}"
        return _put_line(remedy, f"RUN {line}")
    if _is_constant_export(remedy.snippet.strip()):
        return _put_line(remedy, f"ENV {remedy.snippet.strip().removeprefix('export ')}")
    return remedy


def _is_constant_export(line: str) -> bool:
    """A Dockerfile starts no command for the value of a variable."""
    return line.startswith("export ") and "\n" not in line and "$(" not in line


def _put_line(remedy: Remedy, line: str) -> Remedy:
    return replace(
        remedy,
        title=f"{remedy.title}, in the Dockerfile",
        argv=(),
        snippet=line,
        place=Place.LAUNCHER,
        root=False,
    )
