"""
A folder behind FUSE, as sshfs shows one: ``python fuse_folder.py FOLDER MOUNT TYPE SOURCE``.

Speaks the kernel's protocol of /dev/fuse itself (version 7.31, numbers from
include/uapi/linux/fuse.h), so it needs root and a mount namespace, and no library.
"""

import ctypes
import errno
import os
import struct
import sys
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HEADER = struct.Struct("<IIQQ")
"""Of a request, which goes on for 16 bytes: length, operation, number, node."""
REPLY = struct.Struct("<IiQ")
HEADER_BYTES, LARGEST = 40, 1 << 17
HANDLE = struct.Struct("<QII")


class Operation(IntEnum):
    """What the kernel asks for."""

    LOOKUP = 1
    FORGET = 2
    GETATTR = 3
    SETATTR = 4
    MKDIR = 9
    UNLINK = 10
    RMDIR = 11
    OPEN = 14
    READ = 15
    WRITE = 16
    STATFS = 17
    RELEASE = 18
    FSYNC = 20
    FLUSH = 25
    INIT = 26
    OPENDIR = 27
    READDIR = 28
    RELEASEDIR = 29
    ACCESS = 34
    CREATE = 35
    INTERRUPT = 36
    BATCH_FORGET = 42


UNANSWERED = {Operation.FORGET, Operation.INTERRUPT, Operation.BATCH_FORGET}


@dataclass
class Folder:
    """Answers with what is in a folder."""

    root: str
    paths: dict[int, str] = field(default_factory=dict[int, str])
    numbers: dict[str, int] = field(default_factory=dict[str, int])

    def number(self, path: str) -> int:
        if path not in self.numbers:
            self.numbers[path] = len(self.numbers) + 1
            self.paths[self.numbers[path]] = path
        return self.numbers[path]

    def attributes(self, path: str) -> bytes:
        s = os.lstat(path)
        times = int(s.st_atime), int(s.st_mtime), int(s.st_ctime)
        sizes = self.number(path), s.st_size, s.st_blocks, *times, 0, 0, 0
        return struct.pack("<6Q10I", *sizes, s.st_mode, s.st_nlink, s.st_uid, s.st_gid, 0, 4096, 0)

    def entry(self, path: str) -> bytes:
        attributes = self.attributes(path)
        return struct.pack("<QQQQII", self.number(path), 0, 0, 0, 0, 0) + attributes

    def answer(self, operation: Operation, node: int, body: bytes) -> bytes:
        path = self.paths.get(node, "")
        answers: Mapping[Operation, Callable[[str, bytes], bytes]] = {
            Operation.INIT: lambda _, __: struct.pack(
                "<IIIIHHII36x", 7, 31, 1 << 16, 0, 12, 10, 1 << 16, 1
            ),
            Operation.LOOKUP: lambda p, b: self.entry(f"{p}/{_name(b)}"),
            Operation.GETATTR: lambda p, _: bytes(16) + self.attributes(p),
            Operation.SETATTR: self._set_attributes,
            Operation.STATFS: lambda p, _: _describe(os.statvfs(p)),
            Operation.OPEN: lambda p, b: HANDLE.pack(os.open(p, b[0] & os.O_ACCMODE), 0, 0),
            Operation.OPENDIR: lambda _, __: bytes(HANDLE.size),
            Operation.READDIR: self._list,
            Operation.READ: lambda _, b: _read(b),
            Operation.WRITE: lambda _, b: _write(b),
            Operation.CREATE: self._create,
            Operation.MKDIR: self._make_folder,
            Operation.UNLINK: _remove_file,
            Operation.RMDIR: _remove_folder,
            Operation.RELEASE: _close,
        }
        harmless = {Operation.FSYNC, Operation.FLUSH, Operation.RELEASEDIR, Operation.ACCESS}
        return b"" if operation in harmless else answers[operation](path, body)

    def _set_attributes(self, path: str, body: bytes) -> bytes:
        valid, size = struct.unpack_from("<I12xQ", body)
        if valid & 8:
            os.truncate(path, size)
        return bytes(16) + self.attributes(path)

    def _list(self, path: str, body: bytes) -> bytes:
        _, first, size = struct.unpack_from("<QQI", body)
        found = b""
        names = [".", "..", *sorted(one.name for one in Path(path).iterdir())]
        for number, name in enumerate(names[first:], first + 1):
            text = name.encode()
            row = struct.pack("<QQII", 1, number, len(text), 0) + text
            row += bytes(-len(row) % 8)
            if len(found) + len(row) > size:
                break
            found += row
        return found

    def _create(self, path: str, body: bytes) -> bytes:
        flags, mode = struct.unpack_from("<II", body)
        made = f"{path}/{_name(body[16:])}"
        handle = os.open(made, flags & ~os.O_NOFOLLOW, mode)
        return self.entry(made) + HANDLE.pack(handle, 0, 0)

    def _make_folder(self, path: str, body: bytes) -> bytes:
        made = f"{path}/{_name(body[8:])}"
        Path(made).mkdir(*struct.unpack_from("<I", body))
        return self.entry(made)


def _name(body: bytes) -> str:
    return body.partition(b"\0")[0].decode()


def _remove_file(path: str, body: bytes) -> bytes:
    Path(path, _name(body)).unlink()
    return b""


def _remove_folder(path: str, body: bytes) -> bytes:
    Path(path, _name(body)).rmdir()
    return b""


def _close(_: str, body: bytes) -> bytes:
    os.close(*struct.unpack_from("<Q", body))
    return b""


def _read(body: bytes) -> bytes:
    handle, offset, size = struct.unpack_from("<QQI", body)
    return os.pread(handle, size, offset)


def _write(body: bytes) -> bytes:
    handle, offset, size = struct.unpack_from("<QQI", body)
    return struct.pack("<II", os.pwrite(handle, body[40 : 40 + size], offset), 0)


def _describe(seen: os.statvfs_result) -> bytes:
    blocks = seen.f_blocks, seen.f_bfree, seen.f_bavail, seen.f_files, seen.f_ffree
    return struct.pack("<5Q4I24x", *blocks, seen.f_bsize, seen.f_namemax, seen.f_frsize, 0)


def mount(folder: str, where: str, kind: str, source: str) -> None:
    """Mount, say so, and answer until it is unmounted."""
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other"
    if libc.mount(*(word.encode() for word in (source, where, kind)), 0, options.encode()):
        sys.exit(os.strerror(ctypes.get_errno()))
    sys.stdout.write("mounted\n")
    sys.stdout.flush()
    served = Folder(folder)
    served.number(folder)
    while True:
        try:
            request = os.read(device, LARGEST)
        except OSError as error:
            if error.errno == errno.ENODEV:
                return
            continue
        length, wanted, number, node = HEADER.unpack_from(request)
        if wanted in UNANSWERED:
            continue
        answer, failed = b"", 0
        try:
            answer = served.answer(Operation(wanted), node, request[HEADER_BYTES:length])
        except (ValueError, KeyError):
            failed = errno.ENOSYS
        except OSError as error:
            failed = error.errno or errno.EIO
        os.write(device, REPLY.pack(REPLY.size + len(answer), -failed, number) + answer)


if __name__ == "__main__":
    mount(*sys.argv[1:5])
