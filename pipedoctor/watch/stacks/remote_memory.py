"""Memory of another process, read by process_vm_readv(2); nobody is stopped."""

import ctypes
import errno
import os
import struct
from collections.abc import Sequence
from typing import Any

_MAX_READ_BYTES = 1 << 17
"""Bytes of the largest single read."""
_MAX_VECTORS = 8
_POINTER = struct.Struct("<Q")


class TornReadError(Exception):
    """What was read cannot be: the process changed it meanwhile, or it never was."""


class _IoVector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class RemoteMemory:
    """
    The memory of one process.

    Raises PermissionError where the kernel denies it, ProcessLookupError where the
    process is gone, TornReadError for an address that is not mapped.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._call = _load_system_call()
        self._buffer = ctypes.create_string_buffer(_MAX_READ_BYTES)
        self._address = ctypes.addressof(self._buffer)
        self._local, self._remote = _IoVector(self._address, 0), _IoVector(0, 0)
        self._vectors = (_IoVector * _MAX_VECTORS)()
        self._references = ctypes.byref(self._local), ctypes.byref(self._remote)

    def read(self, address: int, size: int) -> bytes:
        """Exactly so many bytes from this address."""
        if not 0 < size <= _MAX_READ_BYTES:
            message = f"{size} bytes at {address:#x}"
            raise TornReadError(message)
        self._local.length = self._remote.length = size
        self._remote.base = address & 0xFFFF_FFFF_FFFF_FFFF
        got = self._call(self.pid, self._references[0], 1, self._references[1], 1, 0)
        if got == size:
            return ctypes.string_at(self._address, size)
        number = ctypes.get_errno() if got < 0 else errno.EFAULT
        if number in {errno.EPERM, errno.ESRCH, errno.EACCES, errno.ENOSYS}:
            raise OSError(number, os.strerror(number))
        message = f"{size} bytes at {address:#x}: {os.strerror(number)}"
        raise TornReadError(message)

    def read_joined(self, places: Sequence[tuple[int, int]]) -> bytes | None:
        """
        Several places, of address and size, one after the other; None: not all are mapped.

        It is one call for all of them.
        """
        total = sum(size for _, size in places)
        if total > _MAX_READ_BYTES or len(places) > _MAX_VECTORS:
            return None
        self._local.length = total
        for vector, (address, size) in zip(self._vectors, places, strict=False):
            vector.base, vector.length = address, size
        count = len(places)
        got = self._call(self.pid, self._references[0], 1, self._vectors, count, 0)
        return ctypes.string_at(self._address, total) if got == total else None

    def read_pointer(self, address: int) -> int:
        """The pointer that lies at this address."""
        value: int = _POINTER.unpack(self.read(address, 8))[0]
        return value


def _load_system_call() -> Any:
    """The call of the C library; raises OSError where there is none."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "process_vm_readv", None)
    if call is None:
        raise OSError(errno.ENOSYS, "no process_vm_readv on this system")
    call.restype = ctypes.c_ssize_t
    call.argtypes = [
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_ulong,
        ctypes.c_void_p,
        ctypes.c_ulong,
        ctypes.c_ulong,
    ]
    return call
