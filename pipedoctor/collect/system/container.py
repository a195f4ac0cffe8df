"""The marks that containers leave on a process inside them; no single one is sure."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.mounts import mounts
from pipedoctor.collect.system.namespaces import is_in_initial
from pipedoctor.facts import Mount

CONTAINER_KINDS = (
    "kubernetes",
    "podman",
    "docker",
    "containerd",
    "lxc",
    "nspawn",
    "other",
    "apptainer",
)
"""Whose launcher decides, first to last: Apptainer keeps what is around it."""

_MARKER_FILES = {
    "/run/.containerenv": "podman",
    "/run/secrets/kubernetes.io/serviceaccount": "kubernetes",
    "/var/run/secrets/kubernetes.io/serviceaccount": "kubernetes",
    "/.singularity.d": "apptainer",
}
_MARKER_VARIABLES = {
    "KUBERNETES_SERVICE_HOST": "kubernetes",
    "APPTAINER_CONTAINER": "apptainer",
    "SINGULARITY_CONTAINER": "apptainer",
}
_MANAGER_KINDS = {
    "docker": "docker",
    "podman": "podman",
    "lxc": "lxc",
    "lxc-libvirt": "lxc",
    "systemd-nspawn": "nspawn",
    "oci": "other",
    "rkt": "other",
}
"""What container managers write as ``container=`` for the first process."""

_CGROUP_PATTERNS = {
    "kubernetes": re.compile(r"/kubepods[./-]|/kubepods$"),
    "docker": re.compile(r"/docker[-/][0-9a-f]{12,}"),
    "podman": re.compile(r"/libpod[-_/]"),
    "containerd": re.compile(r"/(nerdctl|cri-containerd)-[0-9a-f]{12,}"),
    "lxc": re.compile(r"/lxc/|/lxc\.payload\."),
}
"""In the path of the process's own group: ``docker.service`` is none of them."""

_LAYER_PATTERNS = {
    "docker": re.compile(r"/docker/(overlay2|containerd)/|/var/lib/docker/"),
    "podman": re.compile(r"/containers/storage/overlay"),
    "containerd": re.compile(r"/io\.containerd\.snapshotter"),
}
"""In the overlay that is the root itself; a host mounts such layers elsewhere."""

_BIND_SOURCES = {
    "docker": re.compile(r"/docker/containers/[0-9a-f]{12,}/"),
    "kubernetes": re.compile(r"/kubelet/pods/"),
    "podman": re.compile(r"/overlay-containers/[0-9a-f]{12,}/"),
}
_BIND_TARGETS = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")


class ContainerMark(NamedTuple):
    """One sign of a container; an empty `kind` is a sign that does not count."""

    kind: str
    evidence: str


def find_marks(machine: Machine) -> list[ContainerMark]:
    """Every sign that the examined process runs in a container, surest kind first."""
    known = mounts(machine)
    found = [
        *_find_named_marks(machine),
        *_find_cgroup_marks(machine),
        *_find_layer_marks(known),
        *_find_bind_marks(known),
        *_find_manager_marks(machine),
    ]
    found += _check_dockerenv(machine, known, found)
    order = {kind: number for number, kind in enumerate((*CONTAINER_KINDS, ""))}
    return sorted(dict.fromkeys(found), key=lambda mark: order[mark.kind])


def _find_named_marks(machine: Machine) -> Iterator[ContainerMark]:
    for name, kind in _MARKER_VARIABLES.items():
        if machine.environ.get(name):
            yield ContainerMark(kind, name)
    for path, kind in _MARKER_FILES.items():
        if os.path.lexists(machine.map_path(path)):
            yield ContainerMark(kind, path)


def _find_cgroup_marks(machine: Machine) -> Iterator[ContainerMark]:
    for line in read_or_default(machine.process / "cgroup").splitlines():
        path = line.split(":", 2)[-1]
        for kind, pattern in _CGROUP_PATTERNS.items():
            if pattern.search(path):
                yield ContainerMark(kind, f"cgroup {path[:80]}")


def _find_layer_marks(mounts: list[Mount]) -> Iterator[ContainerMark]:
    root = next((mount for mount in mounts if mount.point == "/"), None)
    for kind, pattern in _LAYER_PATTERNS.items():
        if root and pattern.search(",".join(root.options)):
            yield ContainerMark(kind, f"/ is made of layers of {kind}")


def _find_bind_marks(mounts: list[Mount]) -> Iterator[ContainerMark]:
    for mount in mounts:
        for kind, pattern in _BIND_SOURCES.items():
            if mount.point in _BIND_TARGETS and pattern.search(mount.root):
                yield ContainerMark(kind, f"{mount.point} is put there by {kind}")


def _find_manager_marks(machine: Machine) -> Iterator[ContainerMark]:
    """What the container's manager says of itself: a variable of the first process."""
    first = read_or_default(machine.proc / "1" / "environ").split("\0")
    hints = {
        "container": machine.environ.get("container", ""),
        "/run/systemd/container": read_or_default(machine.map_path("/run/systemd/container")),
    }
    if machine.pid is None:  # another process may have another first one
        hints["container of process 1"] = next(
            (entry[10:] for entry in first if entry.startswith("container=")), ""
        )
    for where, name in hints.items():
        kind = _MANAGER_KINDS.get(name.strip())
        if kind:
            yield ContainerMark(kind, f"{where}={name.strip()}")


def _check_dockerenv(
    machine: Machine, mounts: list[Mount], others: list[ContainerMark]
) -> Iterator[ContainerMark]:
    """
    Report /.dockerenv, unless it is left over from the system's own image.

    A virtual machine that boots a container's file system keeps the file, and so
    does an Apptainer image; neither has Docker's own process namespace or overlay.
    """
    if not os.path.lexists(machine.map_path("/.dockerenv")):
        return
    overlay = any(m.point == "/" and m.fstype == "overlay" for m in mounts)
    apptainer = any(mark.kind == "apptainer" for mark in others)
    if is_in_initial(machine, "pid") and (apptainer or not overlay):
        yield ContainerMark("", "/.dockerenv, a relic: neither namespace nor overlay fit Docker")
    else:
        yield ContainerMark("docker", "/.dockerenv")
