"""Names of the user's own deployment and environment in place of those of an example."""

import json
import re
import shlex
from collections.abc import Mapping

from msgspec.structs import replace

from pipedoctor.check.manifest import YamlNode, render_yaml
from pipedoctor.check.notebook_cells import put_in_cell
from pipedoctor.check.remedy import Remedy
from pipedoctor.check.service_units import put_unit

_PATCHED = frozenset({"deployment", "statefulset", "daemonset"})
"""Kinds whose pods `kubectl patch` starts again."""
_SPEC_PATHS = {
    "pod": ("spec",),
    "job": ("spec", "template", "spec"),
    "cronjob": ("spec", "jobTemplate", "spec", "template", "spec"),
    "pytorchjob": ("template", "spec"),
}
_CONTAINER_KEY = '"name":"train"'
_FIRST_CONTAINER = "jsonpath={.spec.template.spec.containers[0].name}"
_PIP = ("python", "-m", "pip")
_PLACED = frozenset({"--prefix", "-p", "--name", "-n"})


def put_names(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    """
    The same remedy for what is so called.

    `names` are those of a log; a line of conda that says its environment keeps it.
    """
    if names.get("kind") == "pytorchjob":  # which has no container of another name
        names = {"container": "pytorch", **names}
    if node := names.get("node"):
        remedy = _name_node(remedy, node)
    if remedy.argv[:1] == ("kubectl",):
        remedy = _name_deployment(remedy, names) if "deployment" in names else remedy
        return _name_kind(remedy, names)
    if "service" in names and remedy.snippet.startswith("services:\n  train:\n"):
        snippet = remedy.snippet.replace("  train:\n", f"  {names['service']}:\n", 1)
        return replace(remedy, snippet=snippet)
    if unit := names.get("unit"):
        remedy = put_unit(remedy, unit)
    elif "notebook" in names:
        remedy = put_in_cell(remedy)
    if remedy.argv[:1] == ("docker",) and "engine" in names:
        return replace(remedy, argv=(names["engine"], *remedy.argv[1:]))
    return _name_package_owner(remedy, names)


def _name_package_owner(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    """The environment of conda, or the Python that was started, which PATH need not have."""
    if "interpreter" in names and remedy.argv[:3] == _PIP:
        return replace(remedy, argv=(names["interpreter"], *remedy.argv[1:]))
    environment = names.get("conda_environment", "")
    if environment and "--prefix" in remedy.argv:
        return _name_environment(remedy, environment)
    changes = remedy.argv[:1] == ("conda",) and remedy.argv[1:2] in (("install",), ("remove",))
    if environment and changes and _PLACED.isdisjoint(remedy.argv):
        argv = (*remedy.argv[:2], "--name", environment, *remedy.argv[2:])
        return replace(remedy, argv=argv)
    return remedy


def _name_node(remedy: Remedy, node: str) -> Remedy:
    """NODE stands for the one that failed."""
    words = tuple(re.sub(r"\bNODE\b", node, word) for word in remedy.argv)
    return replace(remedy, argv=words, snippet=re.sub(r"\bNODE\b", node, remedy.snippet))


def _name_deployment(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    words = [word.replace("TRAIN", names["deployment"]) for word in remedy.argv]
    title, snippet = remedy.title, remedy.snippet
    if container := names.get("container"):
        own = json.dumps(container)
        words = [word.replace('"name":"train"', f'"name":{own}') for word in words]
        snippet = snippet.replace("- name: train\n", f"- name: {container}\n")
    elif (kind := names.get("kind", "deployment")) in _PATCHED and (limits := _read_limits(remedy)):
        words = ["kubectl", "set", "resources", kind, names["deployment"], f"--limits={limits}"]
    elif any(_CONTAINER_KEY in word for word in words):
        if kind in _PATCHED:
            return replace(remedy, argv=(), snippet=_ask_container(kind, words, names))
        title += " (`train` stands for the container's name)"
    if namespace := names.get("namespace"):
        words += ["--namespace", namespace]
    return replace(remedy, title=title, argv=tuple(words), snippet=snippet)


def _ask_container(kind: str, words: list[str], names: Mapping[str, str]) -> str:
    """The same patch, for the first container under the name that the cluster knows."""
    place = ["--namespace", names["namespace"]] if "namespace" in names else []
    ask = ["kubectl", "get", kind, names["deployment"], *place, "--output", _FIRST_CONTAINER]
    lines = [
        f"container=$({shlex.join(ask)})",
        shlex.join([*(kind if word == "deployment" else word for word in words), *place]),
    ]
    return "\n".join(lines).replace(_CONTAINER_KEY, """"name":"'"$container"'\"""")


def _read_limits(remedy: Remedy) -> str:
    """Of a patch that sets limits and nothing else: they can be set without a container's name."""
    match _read_pod_spec(remedy, {}):
        case {"containers": [{"name": str(), "resources": {"limits": {**limits}}, **more}], **rest}:
            others = bool(more or rest)
            return "" if others else ",".join(f"{name}={size}" for name, size in limits.items())
        case _:
            return ""


def _name_kind(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    """What is no deployment is patched under its kind; what cannot be, in its manifest."""
    kind = names.get("kind", "deployment")
    if kind in _PATCHED:
        words = [re.sub("^deployment(?=/|$)", kind, word) for word in remedy.argv]
        return replace(remedy, argv=tuple(words))
    spec = _read_pod_spec(remedy, names)
    if spec is None:
        return remedy
    for key in reversed(_SPEC_PATHS[kind]):
        spec = {key: spec}
    if kind == "pytorchjob":
        spec = {"spec": {"pytorchReplicaSpecs": {"Master": spec, "Worker": spec}}}
    title = f"{remedy.title}, in the manifest: kubectl replace --force -f creates it again"
    return replace(remedy, title=title, argv=(), snippet=render_yaml(spec))


def _read_pod_spec(remedy: Remedy, names: Mapping[str, str]) -> "YamlNode | None":
    """What a line of kubectl changes of the pod."""
    own = names.get("container", "train")
    if remedy.argv[1:2] == ("patch",) and "--patch" in remedy.argv:
        patch = json.loads(remedy.argv[remedy.argv.index("--patch") + 1])
        spec: YamlNode = patch["spec"]["template"]["spec"]
        return spec
    if remedy.argv[1:3] == ("set", "env"):
        pairs = [word.partition("=") for word in remedy.argv[4:] if "=" in word]
        variables: YamlNode = [{"name": name, "value": value} for name, _, value in pairs]
        return {"containers": [{"name": own, "env": variables}]}
    return None


def _name_environment(remedy: Remedy, name: str) -> Remedy:
    """By its name, where its path is not to be shown: nobody could type that."""
    at = remedy.argv.index("--prefix")
    prefix = remedy.argv[at + 1]
    if "<" not in prefix or not prefix.endswith(f"/{name}"):
        return remedy
    return replace(remedy, argv=(*remedy.argv[:at], "--name", name, *remedy.argv[at + 2 :]))
