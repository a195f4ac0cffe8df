"""Names of the user's own deployment and environment in place of those of an example."""

import json
from collections.abc import Mapping

from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy

_PLACED = frozenset({"--prefix", "-p", "--name", "-n"})


def put_names(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    """
    The same remedy for what is so called.

    `names` may have a ``deployment``, ``container``, ``namespace``, ``conda_environment``
    and an ``engine`` of containers; a line of conda that says its environment keeps it.
    """
    if remedy.argv[:1] == ("kubectl",) and "deployment" in names:
        return _name_deployment(remedy, names)
    if remedy.argv[:1] == ("docker",) and "engine" in names:
        return replace(remedy, argv=(names["engine"], *remedy.argv[1:]))
    environment = names.get("conda_environment", "")
    if environment and "--prefix" in remedy.argv:
        return _name_environment(remedy, environment)
    changes = remedy.argv[:1] == ("conda",) and remedy.argv[1:2] in (("install",), ("remove",))
    if environment and changes and _PLACED.isdisjoint(remedy.argv):
        argv = (*remedy.argv[:2], "--name", environment, *remedy.argv[2:])
        return replace(remedy, argv=argv)
    return remedy


def _name_deployment(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    words = [word.replace("TRAIN", names["deployment"]) for word in remedy.argv]
    snippet = remedy.snippet
    if container := names.get("container"):
        own = json.dumps(container)
        words = [word.replace('"name":"train"', f'"name":{own}') for word in words]
        snippet = snippet.replace("- name: train\n", f"- name: {container}\n")
    if namespace := names.get("namespace"):
        words += ["--namespace", namespace]
    return replace(remedy, argv=tuple(words), snippet=snippet)


def _name_environment(remedy: Remedy, name: str) -> Remedy:
    """By its name, where its path is not to be shown: nobody could type that."""
    at = remedy.argv.index("--prefix")
    prefix = remedy.argv[at + 1]
    if "<" not in prefix or not prefix.endswith(f"/{name}"):
        return remedy
    return replace(remedy, argv=(*remedy.argv[:at], "--name", name, *remedy.argv[at + 2 :]))
