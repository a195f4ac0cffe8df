"""Kinds of Kubernetes workloads: which can be patched, and where the pod is in a manifest."""

from collections.abc import Mapping
from typing import NamedTuple

from pipedoctor.check.manifest import YamlNode

PATCHED_KINDS = frozenset({"deployment", "statefulset", "daemonset"})
"""Kinds whose pods `kubectl patch` starts again."""
NAMEABLE_KINDS = PATCHED_KINDS | {"job", "pod"}
"""Kinds that `kubectl exec` takes for one of their pods."""


class _Nesting(NamedTuple):
    above: str
    """Keys from the top of the manifest; a key that ends in ``[]`` holds a list."""
    roles: tuple[str, ...] = ()
    below: str = "template spec"


_NESTINGS: Mapping[str, _Nesting] = {
    "pod": _Nesting("", (), "spec"),
    "job": _Nesting("spec"),
    "cronjob": _Nesting("spec jobTemplate spec"),
    "mpijob": _Nesting("spec mpiReplicaSpecs", ("Worker",)),
    "pytorchjob": _Nesting("spec pytorchReplicaSpecs", ("Master", "Worker")),
    "raycluster": _Nesting("spec", ("workerGroupSpecs[]",)),
    "rayjob": _Nesting("spec rayClusterSpec", ("workerGroupSpecs[]",)),
}
"""
Sources: the API references of Kubernetes, the Kubeflow operators (MPIJob v2beta1,
PyTorchJob v1) and KubeRay (ray.io/v1), read on 2026-11-28.
"""
_HEADS: Mapping[str, str] = {"workerGroupSpecs[]": "headGroupSpec"}


def place_pod_spec(kind: str, spec: YamlNode, container: str) -> YamlNode:
    """The manifest of this kind around a pod's `spec`; of another kind the pod alone."""
    nesting = _NESTINGS.get(kind, _NESTINGS["pod"])
    inner = _wrap(nesting.below, spec)
    roles = nesting.roles
    if container.endswith("head"):
        roles = tuple(_HEADS.get(role, role) for role in roles)
    if roles:
        keys: dict[str, YamlNode] = {}
        for role in roles:
            keys |= _nest(role, inner)
        inner = keys
    return _wrap(nesting.above, inner)


def has_manifest(kind: str) -> bool:
    """Is it known where the pod is in a manifest of this kind?"""
    return kind in _NESTINGS


def _wrap(keys: str, node: YamlNode) -> YamlNode:
    for key in reversed(keys.split()):
        node = _nest(key, node)
    return node


def _nest(key: str, node: YamlNode) -> dict[str, YamlNode]:
    return {key.removesuffix("[]"): [node]} if key.endswith("[]") else {key: node}
