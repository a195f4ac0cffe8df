"""What a log says of a pod of Kubernetes: the workload that makes it, its container."""

import re
from collections.abc import Iterator, Mapping

from pipedoctor.lazy_pattern import compile_lazily

POD_WORDS = frozenset(
    {
        *("kubectl", "pod", "pods", "controlled", "namespace", "name", "assigned"),
        *("oomkilled", "crashloopbackoff", "evicted", "error"),
    }
)
"""Words of lines that are read for this alone."""
_VALUED = r"(?:-[nclo]|--(?:namespace|container|context|kubeconfig|selector|output|tail|since))"
_OPTIONS = rf"(?:{_VALUED}[= ]\S{{1,60}} |(?!{_VALUED} )-\S{{1,40}} ){{0,6}}"
"""Options of kubectl, some with a value of their own."""
_VERBS = r"(?:logs|exec|attach|port-forward|cp|(?:describe|get|delete|top) pods?)"
_BEFORE = (
    rf"(?:\[?pod/|\bkubectl {_OPTIONS}{_VERBS} {_OPTIONS}(?:pods?/)?"
    r"|\bassigned [a-z0-9-]{1,60}/|^Name: {2,30}"
    r"|^(?=\S{1,120} {1,40}\d{1,2}/\d{1,2} {2,20}(?:Error|OOMKilled|CrashLoopBackOff|Evicted)\b))"
)
"""What stands before the name of a pod, or of one that failed where they are listed."""
_SAFE = "[bcdfghjklmnpqrstvwxz2456789]"
"""Letters and digits of the ends that Kubernetes gives to the names of pods."""
_NAME = r"(?P<deployment>[a-z0-9](?:[a-z0-9-]{0,60}?))"
_POD = compile_lazily(
    rf"(?:{_BEFORE}|\bkubectl (?:logs|exec|describe pods?|get pods?|cp) [^\n|]{{0,60}} )"
    rf"{_NAME}-(?:[a-f0-9]{{8,10}}|(?=[a-z]{{0,9}}\d)(?=\d{{0,9}}[a-z]){_SAFE}{{4,10}}|{_SAFE}{{8,10}})"
    rf"-{_SAFE}{{5}}"
    r"(?:/(?P<container>[a-z0-9-]{1,60})\]|\b)"
)
_ORDINAL_POD = compile_lazily(
    rf"{_BEFORE}{_NAME}(?P<role>-(?:master|worker))?-\d{{1,3}}"
    r"(?:/(?P<container>[a-z0-9-]{1,60})\]|(?=\s|$))"
)
_JOB_POD = compile_lazily(
    rf"{_BEFORE}{_NAME}-(?=[a-z0-9]*\d){_SAFE}{{5}}"
    r"(?:/(?P<container>[a-z0-9-]{1,60})\]|(?=\s|$))"
)
"""One random end: Kubernetes gives two to those of a Deployment."""
_OPERATED = (
    ("rayjob", compile_lazily(r"-raycluster-[a-z0-9]{5}-(?:.{1,60}-)?(?:head|worker)\b.*")),
    ("mpijob", compile_lazily(r"-launcher$")),
)
"""How KubeRay and the MPI operator go on behind the name of a job, in those of its pods."""
_WORKLOAD = compile_lazily(
    r"(?:\bkubectl [^\n|]{0,80}?|^Controlled By: {1,10})"
    r"\b(?P<kind>(?i:deploy(?:ment)?|sts|statefulset|ds|daemonset|cronjob|mpijob|pytorchjob"
    r"|rayjob|raycluster|trainjob|job))s?(?:\.[a-z.]{2,30})?[/ ]"
    r"(?P<deployment>[a-z0-9][a-z0-9-]{0,60})"
)
_CONTAINER = compile_lazily(
    r"(?:\bkubectl [^\n|]{0,120}? (?:-c|--container)[= ]"
    r"|\blow on resource: [\w-]{1,40}\. .{0,80}?\bContainer )"
    r"(?P<container>[a-z0-9-]{1,60})"
)
_NAMESPACE = compile_lazily(
    r"\bkubectl [^\n|]{0,80}?(?:-n|--namespace)[= ](?P<namespace>[a-z0-9-]{1,60})"
    r"|^Namespace: {2,30}(?P<namespace1>[a-z0-9-]{1,60})\s*$"
    r"|\bassigned (?P<namespace2>[a-z0-9-]{1,60})/"
)
_KINDS = {"deploy": "deployment", "sts": "statefulset", "ds": "daemonset"}


def iter_pod_names(text: str, known: Mapping[str, str]) -> Iterator[Mapping[str, str | None]]:
    """
    What a line names, in the order in which it counts; `known` are names of lines before.

    ``kind`` and ``deployment`` of the workload, ``container`` and ``namespace``.
    """
    if namespace := _NAMESPACE.search(text):
        yield {"namespace": next(filter(None, namespace.groups()))}
    if workload := _WORKLOAD.search(text):
        kind = workload["kind"].lower()
        yield {"kind": _KINDS.get(kind, kind), "deployment": workload["deployment"]}
    if pod := _POD.search(text):
        yield pod.groupdict()
    elif pod := _ORDINAL_POD.search(text) or _JOB_POD.search(text):
        guessed = workload is None and "kind" not in known and "deployment" not in known
        kind, name = _guess_workload(pod)
        yield {
            "kind": kind if guessed else None,
            "deployment": name,
            "container": pod["container"],
        }
    if inner := _CONTAINER.search(text):
        yield inner.groupdict()


def _guess_workload(pod: re.Match[str]) -> tuple[str, str]:
    """What made a pod whose name ends in a number, a role and a number, or one random end."""
    name = pod["deployment"]
    if "role" in pod.groupdict():
        return ("pytorchjob" if pod["role"] else "statefulset"), name
    for kind, end in _OPERATED:
        if match := end.search(name):
            return kind, name[: match.start()]
    return "job", name
