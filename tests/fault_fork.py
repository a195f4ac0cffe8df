"""Run work in a fork of this process, in which ``faults.so`` is loaded: there it meets a fault."""

import ctypes
import os
import traceback
from collections.abc import Callable
from pathlib import Path

SHIM = ctypes.CDLL(os.environ["LD_PRELOAD"])
SHIM.fault_last.restype = ctypes.c_char_p
CRASHED = 70
"""Exit code of work that raised: without a fault, no other run tells more."""


def in_fork(
    body: Callable[[Path], int], folder: Path, fault: int = 0, error: int = 0
) -> tuple[int, str]:
    """Exit code of it, -9 when it was killed, and the call that met the fault, or a traceback."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        code = CRASHED
        try:
            if fault:
                SHIM.fault_arm(fault, error, str(folder).encode())
            code = body(folder)
            SHIM.fault_disarm()
            os.write(writer, SHIM.fault_last() or b"")
        except BaseException:  # noqa: BLE001  (a traceback is what is looked for)
            SHIM.fault_disarm()
            os.write(writer, traceback.format_exc().encode())
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        about = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), about
