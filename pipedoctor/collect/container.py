"""The marks that containers leave on a process inside them; no single one is sure."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.mounts import mounts
from pipedoctor.collect.namespaces import in_initial
from pipedoctor.facts import Mount

KINDS = (
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

_FILES = {
    "/run/.containerenv": "podman",
    "/run/secrets/kubernetes.io/serviceaccount": "kubernetes",
    "/var/run/secrets/kubernetes.io/serviceaccount": "kubernetes",
    "/.singularity.d": "apptainer",
}
_VARIABLES = {
    "KUBERNETES_SERVICE_HOST": "kubernetes",
    "APPTAINER_CONTAINER": "apptainer",
    "SINGULARITY_CONTAINER": "apptainer",
}
_MANAGERS = {
    "docker": "docker",
    "podman": "podman",
    "lxc": "lxc",
    "lxc-libvirt": "lxc",
    "systemd-nspawn": "nspawn",
    "oci": "other",
    "rkt": "other",
}
"""What container managers write as ``container=`` for the first process."""

_GROUPS = {
    "kubernetes": re.compile(r"/kubepods[./-]|/kubepods$"),
    "docker": re.compile(r"/docker[-/][0-9a-f]{12,}"),
    "podman": re.compile(r"/libpod[-_/]"),
    "containerd": re.compile(r"/(nerdctl|cri-containerd)-[0-9a-f]{12,}"),
    "lxc": re.compile(r"/lxc/|/lxc\.payload\."),
}
"""In the path of the process's own group: ``docker.service`` is none of them."""

_LAYERS = {
    "docker": re.compile(r"/docker/(overlay2|containerd)/|/var/lib/docker/"),
    "podman": re.compile(r"/containers/storage/overlay"),
    "containerd": re.compile(r"/io\.containerd\.snapshotter"),
}
"""In the overlay that is the root itself; a host mounts such layers elsewhere."""

_BOUND = {
    "docker": re.compile(r"/docker/containers/[0-9a-f]{12,}/"),
    "kubernetes": re.compile(r"/kubelet/pods/"),
    "podman": re.compile(r"/overlay-containers/[0-9a-f]{12,}/"),
}
_BINDS = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")


class Mark(NamedTuple):
    """One sign of a container; an empty `kind` is a sign that does not count."""

    kind: str
    evidence: str


def marks(machine: Machine) -> list[Mark]:
    """Every sign that the examined process runs in a container, surest kind first."""
    known = mounts(machine)
    found = [
        *_named(machine),
        *_groups(machine),
        *_layers(known),
        *_binds(known),
        *_managers(machine),
    ]
    found += _dockerenv(machine, known, found)
    order = {kind: number for number, kind in enumerate((*KINDS, ""))}
    return sorted(dict.fromkeys(found), key=lambda mark: order[mark.kind])


def _named(machine: Machine) -> Iterator[Mark]:
    for name, kind in _VARIABLES.items():
        if machine.environ.get(name):
            yield Mark(kind, name)
    for path, kind in _FILES.items():
        if os.path.lexists(machine.inside(path)):
            yield Mark(kind, path)


def _groups(machine: Machine) -> Iterator[Mark]:
    for line in read_or(machine.process / "cgroup").splitlines():
        path = line.split(":", 2)[-1]
        for kind, pattern in _GROUPS.items():
            if pattern.search(path):
                yield Mark(kind, f"cgroup {path[:80]}")


def _layers(known: list[Mount]) -> Iterator[Mark]:
    root = next((mount for mount in known if mount.point == "/"), None)
    for kind, pattern in _LAYERS.items():
        if root and pattern.search(",".join(root.options)):
            yield Mark(kind, f"/ is made of layers of {kind}")


def _binds(known: list[Mount]) -> Iterator[Mark]:
    for mount in known:
        for kind, pattern in _BOUND.items():
            if mount.point in _BINDS and pattern.search(mount.root):
                yield Mark(kind, f"{mount.point} is put there by {kind}")


def _managers(machine: Machine) -> Iterator[Mark]:
    """What the container's manager says of itself: a variable of the first process."""
    first = read_or(machine.proc / "1" / "environ").split("\0")
    said = {
        "container": machine.environ.get("container", ""),
        "/run/systemd/container": read_or(machine.inside("/run/systemd/container")),
    }
    if machine.pid is None:  # another process may have another first one
        said["container of process 1"] = next(
            (entry[10:] for entry in first if entry.startswith("container=")), ""
        )
    for where, name in said.items():
        kind = _MANAGERS.get(name.strip())
        if kind:
            yield Mark(kind, f"{where}={name.strip()}")


def _dockerenv(
    machine: Machine, known: list[Mount], others: list[Mark]
) -> Iterator[Mark]:
    """
    /.dockerenv, unless it is a relic of the image that this system was made from.

    A virtual machine that boots a container's file system keeps the file, and so
    does an Apptainer image; neither has Docker's own process namespace or overlay.
    """
    if not os.path.lexists(machine.inside("/.dockerenv")):
        return
    overlay = any(m.point == "/" and m.fstype == "overlay" for m in known)
    apptainer = any(mark.kind == "apptainer" for mark in others)
    if in_initial(machine, "pid") and (apptainer or not overlay):
        yield Mark("", "/.dockerenv, a relic: neither namespace nor overlay fit Docker")
    else:
        yield Mark("docker", "/.dockerenv")
