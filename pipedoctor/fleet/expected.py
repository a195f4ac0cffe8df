"""Which nodes should have reported: a list of hosts, a file of them, or a number."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from pipedoctor.facts import UnreadableError
from pipedoctor.fleet.hostlist import HostlistError, expand_hostlist
from pipedoctor.runtime import files

MAX_FILE_BYTES = 8 << 20
"""Bytes of the largest file with names of hosts."""
_MAX_NODES = 10_000_000


class ExpectedNodesError(ValueError):
    """--expect says nothing that can be meant; the message says why."""


class ExpectedNodes(msgspec.Struct, frozen=True):
    """Names of nodes, or only how many there should be."""

    count: int
    names: tuple[str, ...] | None = None

    def list_missing(self, reporting: Sequence[str]) -> tuple[str, ...] | None:
        """
        Names that no report has; None where only a number is known.

        A name without a domain stands for the node that reported with one, and one with
        a domain, if no other begins like it, for the node that reported without.
        """
        if self.names is None:
            return None
        full = set(reporting)
        there = {*full, *map(_cut_domain, full)}
        alike = Counter(map(_cut_domain, self.names))
        return tuple(
            name
            for name in self.names
            if name not in there and (alike[_cut_domain(name)] > 1 or _cut_domain(name) not in full)
        )

    def count_missing(self, reporting: Sequence[str]) -> int:
        """How many did not report."""
        names = self.list_missing(reporting)
        return max(0, self.count - len(reporting)) if names is None else len(names)


def _cut_domain(name: str) -> str:
    return name.partition(".")[0]


def parse_expected_nodes(text: str) -> ExpectedNodes:
    """Read --expect; a file that exists wins over a list of hosts or a number."""
    try:
        kind = files.find_kind(text)
    except UnreadableError as error:
        message = f"--expect {text}: cannot be read: {error}"
        raise ExpectedNodesError(message) from None
    if kind == "file":
        return _read_names(text)
    if text.isascii() and text.isdecimal():
        if int(text) > _MAX_NODES:
            message = f"--expect {text}: more nodes than any fleet has"
            raise ExpectedNodesError(message)
        return ExpectedNodes(int(text))
    return _parse_names(text, "")


def _read_names(path: str) -> ExpectedNodes:
    try:
        data = files.load_file(path, MAX_FILE_BYTES + 1)
        text = data.decode()
    except (UnreadableError, UnicodeDecodeError) as error:
        message = f"--expect {path}: cannot be read: {error}"
        raise ExpectedNodesError(message) from None
    if len(data) > MAX_FILE_BYTES:
        message = f"--expect {path}: larger than {MAX_FILE_BYTES >> 20} MiB"
        raise ExpectedNodesError(message)
    lines = (line.partition("#")[0] for line in text.splitlines())
    return _parse_names("\n".join(lines), f"{path}: ")


def _parse_names(text: str, where: str) -> ExpectedNodes:
    try:
        names = tuple(expand_hostlist(text))
    except HostlistError as error:
        message = f"--expect {where}{error}"
        raise ExpectedNodesError(message) from None
    if not names:
        message = f"--expect {where}names no host: expected h100-[001-500], a file or N"
        raise ExpectedNodesError(message)
    return ExpectedNodes(len(names), names)
