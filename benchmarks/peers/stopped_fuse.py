"""A FUSE file system whose daemon answers its first request and then none."""

import ctypes
import os
import struct
import threading
from collections.abc import Callable

INIT_REPLY = struct.Struct("<IiQ" + "IIIIHHI" + "IHHI" + "7I")
REQUEST = struct.Struct("<IIQ")


def mount_stopped_fuse(point: str) -> Callable[[], None]:
    """
    Mount the file system; whoever touches it sleeps and cannot be killed.

    Gives what ends it: all who sleep there get an error.
    """
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"filer", point.encode(), b"fuse", 0, options.encode()):
        raise OSError(ctypes.get_errno(), "mount -t fuse")
    _, _, unique = REQUEST.unpack_from(os.read(device, 1 << 20))
    reply = (7, 31, 0, 0, 0, 0, 4096, 0, 0, 0, 0, *[0] * 7)
    os.write(device, INIT_REPLY.pack(INIT_REPLY.size, 0, unique, *reply))
    threading.Thread(target=_read_requests, args=(device,), daemon=True).start()
    return lambda: _abort_connection(point)


def _read_requests(device: int) -> None:
    try:
        while True:
            os.read(device, 1 << 20)
    except OSError:
        return


def _abort_connection(point: str) -> None:
    """Force the unmount: the kernel aborts the connection."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.umount2(point.encode(), 1)  # MNT_FORCE
