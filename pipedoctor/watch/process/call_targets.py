"""What a system call is about: the file behind a descriptor, a path in memory."""

from pipedoctor.runtime.system_calls import PAGE_FAULT
from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError
from pipedoctor.watch.system.process_counters import (
    BlockingCall,
    ProcessCounters,
    find_call_subject,
)

_PAGE_BYTES = 4096
_LONGEST_PATH = 512
_MAX_CALL_BYTES = 0x7FFF_F000
"""Bytes that the kernel reads by one call: a larger number is none of bytes."""
_BYTES_ARGUMENT = 2
"""Which argument of read(2) is the number of bytes."""


def find_call_target(
    blocking_call: BlockingCall, counters: ProcessCounters, memory: RemoteMemory | None
) -> str:
    """The path, ``socket:[123]`` or ``pipe:[123]``; empty: it has none, or unknown."""
    if blocking_call.call is PAGE_FAULT:
        return counters.find_mapped_file()
    descriptor, address = find_call_subject(blocking_call)
    if descriptor is not None:
        return counters.read_descriptor_target(descriptor)
    if not address or memory is None:
        return ""
    try:
        text = memory.read(address, min(_PAGE_BYTES - address % _PAGE_BYTES, _LONGEST_PATH))
    except (TornReadError, OSError):
        return ""
    return text.partition(b"\0")[0].decode("utf-8", "backslashreplace")


def count_requested_bytes(blocking_call: BlockingCall, memory: RemoteMemory | None) -> int | None:
    """
    How many bytes a call is to read; of several buffers, into the first.

    None: unknown, or the call was over before its buffers were looked at.
    """
    size = _find_requested_bytes(blocking_call, memory)
    return size if 0 <= size <= _MAX_CALL_BYTES else None


def _find_requested_bytes(blocked: BlockingCall, memory: RemoteMemory | None) -> int:
    words = blocked.arguments
    if len(words) <= _BYTES_ARGUMENT:
        return -1
    if not blocked.call.name.startswith(("preadv", "readv")):
        return words[_BYTES_ARGUMENT]
    if memory is None:
        return -1
    try:
        return memory.read_pointer(words[1] + 8)
    except (TornReadError, OSError):
        return -1
