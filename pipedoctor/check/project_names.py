"""Names of the user's own deployment and environment in place of those of an example."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from pipedoctor.check.notebook_cells import put_in_cell
from pipedoctor.check.remedy import Remedy
from pipedoctor.check.service_units import put_unit
from pipedoctor.check.workload_names import name_workload

_CONTAINERS: Mapping[str, Mapping[str, str]] = {
    "pytorchjob": {"container": "pytorch"},
    "raycluster": {"container": "ray-worker"},
    "rayjob": {"container": "ray-worker"},
}
"""Where no other name works, or all examples have this one."""
_PIP = ("python", "-m", "pip")
_PLACED = frozenset({"--prefix", "-p", "--name", "-n"})


def put_names(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    """
    The same remedy for what is so called.

    `names` are those of a log; a line of conda that says its environment keeps it.
    """
    names = {**_CONTAINERS.get(names.get("kind", ""), {}), **names}
    if node := names.get("node"):
        remedy = _name_node(remedy, node)
    if remedy.argv[:1] == ("kubectl",):
        return name_workload(remedy, names)
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


def _name_environment(remedy: Remedy, name: str) -> Remedy:
    """By its name, where its path is not to be shown: nobody could type that."""
    at = remedy.argv.index("--prefix")
    prefix = remedy.argv[at + 1]
    if "<" not in prefix or not prefix.endswith(f"/{name}"):
        return remedy
    return replace(remedy, argv=(*remedy.argv[:at], "--name", name, *remedy.argv[at + 2 :]))
