"""Why no stack could be read, said once and in full, with what each signal needs."""

import os
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipedoctor.collect.machine import read_or_default
from pipedoctor.report.sentences import clean_text
from pipedoctor.watch.process.unread_stacks import PTRACE_DENIED
from pipedoctor.watch.system.process_counters import find_number, read_process_file

_LADDER = (
    "everyone may read: CPU, run queue, state, pressure, control group",
    "the same user may read: I/O, descriptors, memory",
    "who may trace the job may read: stacks, system calls and their files",
)
_TRACE_CAPABILITY = 19
"""CAP_SYS_PTRACE, as capabilities(7) numbers it."""


class PermissionNotes:
    """Tells each reason once, however many lines it holds for."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._told: set[str] = set()

    def list_new(self, sample: Mapping[str, Any], width: int, *, recorded: bool) -> list[str]:
        """
        Lines of this width to print above the line of a sample; most often there are none.

        `recorded`: the sample is of an earlier watch, and says nothing of this machine.
        """
        reason = str(sample.get("unknown", {}).get("stacks", ""))
        if not reason or sample.get("samples") or reason in self._told:
            return []
        self._told.add(reason)
        parts = [f"no stacks: {reason}"]
        if reason == PTRACE_DENIED:
            here = "" if recorded else describe_obstacle(int(sample.get("pid", 0)), self._proc)
            parts += [f"here: {here}"] if here else []
            parts += _LADDER
        return [row for part in parts for row in _wrap(clean_text(part), width)]


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(20, width), subsequent_indent="  ", break_on_hyphens=False)


def describe_obstacle(pid: int, proc: Path = Path("/proc")) -> str:
    """What keeps this user from tracing this process, as far as it shows; empty: unknown."""
    owner = find_number(read_process_file(f"{proc}/{pid}/status"), "\nUid:")
    if owner is None:
        return ""
    own = os.geteuid()
    if own and owner != own:
        return f"the job belongs to user {owner}, this command to user {own}"
    if _may_trace(proc):
        return ""
    scope = read_or_default(proc / "sys/kernel/yama/ptrace_scope").strip()
    if scope.isdecimal() and int(scope):
        return f"kernel.yama.ptrace_scope is {scope}"
    return "" if own else "this container lacks the capability SYS_PTRACE"


def _may_trace(proc: Path) -> bool:
    """Has this command the capability that lets it trace every process?"""
    words = read_or_default(proc / "self/status").partition("\nCapEff:")[2].split(None, 1)
    try:
        return bool(int(words[0], 16) >> _TRACE_CAPABILITY & 1) if words else False
    except ValueError:
        return False
