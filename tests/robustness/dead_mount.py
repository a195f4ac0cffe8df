"""
Mount a file system that never answers; run a command with it, for a bounded time.

``python dead_mount.py POINT SECONDS [--inside] COMMAND...``, as root in a mount namespace
of its own. With ``--inside`` the command starts in the mount, which answers until then.
Ends with the command's exit code, or with 99 where it takes longer; whoever still sleeps
in the mount is released then.
"""

import ctypes
import os
import struct
import sys
import threading
import time

INIT_REPLY = struct.Struct("<IiQ" + "IIIIHHI" + "IHHI" + "7I")
REQUEST = struct.Struct("<IIQ")
GET_ATTRIBUTES, ACCESS = 3, 34
TOO_LATE = 99


def main(point: str, seconds: str, *command: str) -> int:
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other"
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = (b"filer", point.encode(), b"fuse", 0, options.encode())
    if libc.mount(*arguments):
        raise OSError(ctypes.get_errno(), "mount -t fuse")
    _, _, unique = REQUEST.unpack_from(os.read(device, 1 << 20))
    reply = (7, 31, 0, 0, 0, 0, 4096, 0, 0, 0, 0, *[0] * 7)
    os.write(device, INIT_REPLY.pack(INIT_REPLY.size, 0, unique, *reply))
    inside, stopped = command[0] == "--inside", threading.Event()
    if not inside:
        stopped.set()
    threading.Thread(target=serve, args=(device, stopped), daemon=True).start()
    ready, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(device)
        if inside:
            os.chdir(point)
        os.write(go, b".")
        os.close(go)
        os.execvp(command[inside], command[inside:])
    os.read(ready, 1)
    stopped.set()
    return wait(pid, time.monotonic() + float(seconds))


def wait(pid: int, until: float) -> int:
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    return TOO_LATE


def serve(device: int, stopped: threading.Event) -> None:
    """Answer as an empty folder does until it is stopped; then take and never answer."""
    while True:
        _, kind, unique = REQUEST.unpack_from(os.read(device, 1 << 20))
        if stopped.is_set():
            continue
        if kind == GET_ATTRIBUTES:
            attributes = struct.pack("<6Q10I", 1, 0, 0, 0, 0, 0, *[0] * 3, 0o40755, 2, *[0] * 5)
            body = struct.pack("<QII", 0, 0, 0) + attributes
        else:
            body = b""
        status = 0 if body or kind == ACCESS else -38
        os.write(device, struct.pack("<IiQ", 16 + len(body), status, unique) + body)


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
