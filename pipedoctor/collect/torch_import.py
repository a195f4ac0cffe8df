"""Import torch in the examined interpreter, with the caller's environment."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from typing import IO

import msgspec

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.prefix import Chosen, find
from pipedoctor.facts import Hang, TorchImport, Unreadable

_MARK = b"\x1epipedoctor "
_KEPT = 1 << 16
_NOT_INSTALLED = (
    "ModuleNotFoundError: No module named 'torch'",
    "ImportError: No module named 'torch'",  # Python 3.5
    "ImportError: No module named torch",  # Python 2
)

# Every Python must be able to read it, 2.7 too: one that is examined may be that old.
PROBE = r"""
import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
import json, os, time, warnings
caught = []
warnings.simplefilter("always")
warnings.showwarning = lambda message, kind, *rest: caught.append(
    "%s: %s" % (kind.__name__, message))
said = {"ok": False}
clock = getattr(time, "perf_counter", time.time)
began = clock()
try:
    import torch
    said["seconds"] = clock() - began
    said["version"] = str(torch.__version__)
    said["file"] = str(torch.__file__)
    said["ok"] = True
except BaseException as error:
    said["seconds"] = clock() - began
    said["error"] = "%s: %s" % (type(error).__name__, error)
def tell():
    sys.stdout.flush()
    os.write(1, b"\x1epipedoctor " + json.dumps(said).encode() + b"\n")
tell()
def ask(name, call):
    try:
        said[name] = call()
    except BaseException as error:
        said.setdefault("cuda_error", "%s: %s" % (type(error).__name__, error))
if said["ok"]:
    cuda = torch.cuda
    ask("threads", torch.get_num_threads)
    ask("cuda_available", cuda.is_available)
    ask("arch_list", lambda: list(cuda.get_arch_list()))
    ask("numpy_ok", lambda: torch.zeros(1).numpy() is not None)
    mps = getattr(torch.backends, "mps", None)
    ask("mps_available", lambda: bool(mps and mps.is_available()))
    if said.get("cuda_available"):
        ask("device_count", cuda.device_count)
        ask("capabilities", lambda: ["%d.%d" % cuda.get_device_capability(i)
                                     for i in range(cuda.device_count())])
        ask("cudnn_version", torch.backends.cudnn.version)
    if said.get("numpy_ok") is None:
        said["numpy_ok"] = False
        said.pop("cuda_error", None)
said["warnings"] = caught[:20]
tell()
os._exit(0)
"""


def torch_import(
    machine: Machine, chosen: Chosen, patience: float, announce: Announce
) -> TorchImport:
    """
    Say how the import ended: well, with an error, with a signal, or not at all.

    Raises Unreadable where the interpreter itself cannot be started, and where torch
    is simply not installed: that is no illness of the import.
    """
    prefix = find(chosen, machine.environ)
    announce(f"import torch in {prefix.executable}")
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        code = _start(str(prefix.executable), machine.environ, patience, out, errors)
        spent = time.monotonic() - began
        said = _said(out)
        complaints = _tail(errors)
    if said is not None and said.error in _NOT_INSTALLED:
        message = f"torch is not installed in {prefix.folder}"
        raise Unreadable(message)
    if code is None:
        return _late(said, round(spent, 1))
    if said is not None and code == 0:
        return said
    return TorchImport(
        ok=False,
        seconds=round(spent, 3),
        signal=signal.Signals(-code).name if code < 0 else "",
        error=_last_line(complaints) or f"the interpreter ended with exit code {code}",
    )


def _late(said: TorchImport | None, spent: float) -> TorchImport:
    """The import itself hung, or it went well and CUDA did not answer."""
    if said is None:
        return TorchImport(ok=False, hang=Hang(doing="import torch", seconds=spent))
    error = f"no answer from torch.cuda after {spent:g} s"
    return msgspec.structs.replace(said, cuda_error=error)


def _start(
    executable: str,
    environ: Mapping[str, str],
    patience: float,
    out: IO[bytes],
    errors: IO[bytes],
) -> int | None:
    """The exit code, or None when it had to be killed for lateness."""
    try:
        return subprocess.run(
            [executable, "-c", PROBE],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            timeout=patience,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        return None
    except OSError as error:
        message = f"{executable} cannot be started: {error.strerror}"
        raise Unreadable(message) from error


def _said(out: IO[bytes]) -> TorchImport | None:
    """The probe's own line, wherever other output put it; None when it never came."""
    text = _tail(out)
    _, found, line = text.rpartition(_MARK)
    if not found:
        return None
    with contextlib.suppress(msgspec.DecodeError):
        return msgspec.json.decode(line.partition(b"\n")[0], type=TorchImport)
    return None


def _tail(file: IO[bytes]) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _KEPT))
    return file.read()


def _last_line(complaints: bytes) -> str:
    lines = complaints.decode("utf-8", errors="replace").strip().splitlines()
    return lines[-1].strip()[:500] if lines else ""
