"""What a manifest of Kubernetes in a log says of the workload: its kind and its names."""

import re

MANIFEST_WORDS = frozenset({"kind"})
"""Words of lines that are read for this alone."""
_KIND = re.compile(
    r"^kind: (?P<kind>CronJob|DaemonSet|Deployment|Job|MPIJob|Pod|PyTorchJob|RayCluster|RayJob"
    r"|StatefulSet|TrainJob)\s*$"
)
_NAME = re.compile(r"^ {2}(?P<key>name|namespace): [\"']?(?P<name>[a-z0-9][a-z0-9.-]{0,62})\b")
_CONTAINER = re.compile(r"^\s{0,20}(?:- )?name: [\"']?(?P<name>[a-z0-9][a-z0-9-]{0,62})\b")
_WORKERS = frozenset({"Worker:", "workerGroupSpecs:"})
_KEYS = {"name": "deployment", "namespace": "namespace"}


class ManifestReader:
    """Collects them from the lines of a log, those of the first workload."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._section = ""

    def read_line(self, text: str) -> None:
        """Take the next line, as it stands in the log."""
        if match := _KIND.match(text):
            self._names = self._names or {"kind": match["kind"].lower()}
            self._section = ""
        elif self._names:
            self._read_below_kind(text)

    def _read_below_kind(self, text: str) -> None:
        key = text.strip().removeprefix("- ")
        if key == "ownerReferences:":  # something else makes this pod, and makes it again
            self._names = {}
        elif key in _WORKERS:  # what fails is theirs, not the launcher's
            self._names.pop("container", "")
        elif key in {"metadata:", "containers:"}:
            self._section = key
        elif self._section == "metadata:" and (match := _NAME.match(text)):
            self._names.setdefault(_KEYS[match["key"]], match["name"])
        elif self._section == "containers:" and (match := _CONTAINER.match(text)):
            self._names.setdefault("container", match["name"])
            self._section = ""

    def get_names(self) -> dict[str, str]:
        """``kind``, ``deployment``, ``namespace`` and ``container``; none without a name."""
        return self._names if "deployment" in self._names else {}
