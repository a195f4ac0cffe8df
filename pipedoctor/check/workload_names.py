"""Lines of kubectl for the user's own workload, or its manifest where no line can change it."""

import json
import shlex
from collections.abc import Mapping

from msgspec.structs import replace

from pipedoctor.check.manifest import YamlNode, render_yaml
from pipedoctor.check.remedy import Remedy
from pipedoctor.check.workload_kinds import (
    NAMEABLE_KINDS,
    PATCHED_KINDS,
    has_manifest,
    place_pod_spec,
)

_EXAMPLES = frozenset({"TRAIN", "deployment/TRAIN"})
"""How remedies name a workload that they do not know."""
_CONTAINER_KEY = '"name":"train"'
_FIRST_CONTAINER = "jsonpath={.spec.template.spec.containers[0].name}"
_AGAIN = "kubectl replace --force -f creates it again"


def name_workload(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    """The same change of the workload that `names` tell; without a name, of its manifest."""
    if _EXAMPLES.isdisjoint(remedy.argv):
        return remedy
    if "deployment" in names and names.get("kind", "deployment") in PATCHED_KINDS:
        return _patch_workload(remedy, names)
    spec = _read_pod_spec(remedy, names)
    if spec is None:
        return _name_pod(remedy, names)
    kind = names.get("kind", "") if "deployment" in names else ""
    where = f"manifest: {_AGAIN}" if has_manifest(kind) else "pod template of the manifest"
    known = "container" in names or _CONTAINER_KEY not in json.dumps(spec, separators=(",", ":"))
    note = "" if known else " (replace `train` with the container's name)"
    tree = place_pod_spec(kind, spec, names.get("container", ""))
    title = f"{remedy.title}{note}, in the {where}"
    return replace(remedy, title=title, argv=(), snippet=render_yaml(tree))


def _patch_workload(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    kind = names.get("kind", "deployment")
    words, snippet = _put_workload(remedy.argv, kind, names["deployment"]), remedy.snippet
    if container := names.get("container"):
        own = json.dumps(container)
        words = [word.replace(_CONTAINER_KEY, f'"name":{own}') for word in words]
        snippet = snippet.replace("- name: train\n", f"- name: {container}\n")
    elif limits := _read_limits(remedy):
        words = ["kubectl", "set", "resources", kind, names["deployment"], f"--limits={limits}"]
    elif any(_CONTAINER_KEY in word for word in words):
        return replace(remedy, argv=(), snippet=_ask_container(kind, words, names))
    return replace(remedy, argv=_put_namespace(words, names), snippet=snippet)


def _put_workload(argv: tuple[str, ...], kind: str, name: str) -> list[str]:
    """Only where it is named: a file below /data/TRAIN keeps its path."""
    own = {"deployment": kind, "TRAIN": name, "deployment/TRAIN": f"{kind}/{name}"}
    end = argv.index("--") if "--" in argv else len(argv)
    return [*(own.get(word, word) for word in argv[:end]), *argv[end:]]


def _put_namespace(words: list[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """Before ``--``, behind which the words are those of another program."""
    end = words.index("--") if "--" in words else len(words)
    place = ("--namespace", names["namespace"]) if "namespace" in names else ()
    return (*words[:end], *place, *words[end:])


def _ask_container(kind: str, words: list[str], names: Mapping[str, str]) -> str:
    """The same patch, for the first container under the name that the cluster knows."""
    ask = ["kubectl", "get", kind, names["deployment"]]
    lines = [
        f"container=$({shlex.join([*_put_namespace(ask, names), '--output', _FIRST_CONTAINER])})",
        shlex.join(_put_namespace(words, names)),
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


def _name_pod(remedy: Remedy, names: Mapping[str, str]) -> Remedy:
    """What no manifest says: a command in a pod, a start of all pods."""
    if "deployment" not in names:
        return remedy
    kind = names["kind"]
    if remedy.argv[1] == "exec" and kind in NAMEABLE_KINDS:
        words = _put_workload(remedy.argv, kind, names["deployment"])
        return replace(remedy, argv=_put_namespace(words, names))
    return replace(remedy, title=f"{remedy.title} ({_AGAIN} from its manifest)", argv=())


def _read_pod_spec(remedy: Remedy, names: Mapping[str, str]) -> "YamlNode | None":
    """What a line of kubectl changes of the pod."""
    own = names.get("container", "train")
    if remedy.argv[1:2] == ("patch",) and "--patch" in remedy.argv:
        line = remedy.argv[remedy.argv.index("--patch") + 1]
        patch = json.loads(line.replace(_CONTAINER_KEY, f'"name":{json.dumps(own)}'))
        spec: YamlNode | None = patch["spec"]["template"].get("spec")
        return spec
    if remedy.argv[1:3] == ("set", "env") and (keys := _read_variables(remedy.argv[4:])):
        return {"containers": [{"name": own, **keys}]}
    return None


def _read_variables(words: tuple[str, ...]) -> dict[str, YamlNode]:
    pairs = [word.partition("=") for word in words if "=" in word]
    secret = [value.partition("/")[2] for name, _, value in pairs if name == "--from"]
    if secret:
        return {"envFrom": [{"secretRef": {"name": name}} for name in secret]}
    variables: list[YamlNode] = [{"name": name, "value": value} for name, _, value in pairs]
    return {"env": variables} if variables else {}
