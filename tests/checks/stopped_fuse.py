"""
Mount a FUSE file system whose daemon stops after its first word; run a command.

``python stopped_fuse.py MOUNTPOINT COMMAND...``, as root in a mount namespace of its
own. The daemon takes requests and never answers: whoever touches the mount sleeps and
cannot even be killed, until this script ends.
"""

import ctypes
import os
import struct
import subprocess
import sys
import threading

INIT_REPLY = struct.Struct("<IiQ" + "IIIIHHI" + "IHHI" + "7I")
REQUEST = struct.Struct("<IIQ")


def main(point: str, *command: str) -> int:
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other"
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = (b"filer", point.encode(), b"fuse", 0, options.encode())
    if libc.mount(*arguments):
        raise OSError(ctypes.get_errno(), "mount -t fuse")
    _, _, unique = REQUEST.unpack_from(os.read(device, 1 << 20))
    reply = (7, 31, 0, 0, 0, 0, 4096, 0, 0, 0, 0, *[0] * 7)
    os.write(device, INIT_REPLY.pack(INIT_REPLY.size, 0, unique, *reply))
    threading.Thread(target=take_and_never_answer, args=(device,), daemon=True).start()
    return subprocess.run(command, check=False).returncode


def take_and_never_answer(device: int) -> None:
    while True:
        os.read(device, 1 << 20)


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
