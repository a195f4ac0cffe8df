"""Import torch in the examined interpreter, with the caller's environment."""

import contextlib
import os
import re
import time

import msgspec

from pipedoctor.collect.environment.prefix import EnvironmentChoice, find_prefix
from pipedoctor.collect.machine import Machine, read_file
from pipedoctor.facts import Hang, TorchImport, UnreadableError
from pipedoctor.runtime.bounded_process import run_bounded
from pipedoctor.runtime.lanes import Announce
from pipedoctor.textsafe import decode_json
from pipedoctor.units import name_signal

_LINE_MARK = b"\x1epipedoctor "
_MAX_OUTPUT_BYTES = 1 << 16
_NOT_INSTALLED_ERRORS = (
    "ModuleNotFoundError: No module named 'torch'",
    "ImportError: No module named 'torch'",  # Python 3.5
    "ImportError: No module named torch",  # Python 2
)

# Every Python must be able to read it, 2.7 too: one that is examined may be that old.
PROBE_SCRIPT = r"""
import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
import json, os, time, warnings
caught = []
warnings.simplefilter("always")
warnings.showwarning = lambda message, kind, *rest: caught.append(
    ("%s: %s" % (kind.__name__, message))[:1000])
said = {"ok": False}
clock = getattr(time, "perf_counter", time.time)
began = clock()
try:
    import torch
    said["seconds"] = clock() - began
    said["file"] = str(getattr(torch, "__file__", None) or "")
    said["version"] = str(torch.__version__)
    said["ok"] = True
except BaseException as error:
    said["seconds"] = clock() - began
    said["error"] = ("%s: %s" % (type(error).__name__, error))[:2000]
def tell():
    sys.stdout.flush()
    os.write(1, b"\x1epipedoctor " + json.dumps(said).encode() + b"\n")
tell()
def ask(name, call):
    try:
        said[name] = call()
    except BaseException as error:
        said.setdefault("cuda_error", ("%s: %s" % (type(error).__name__, error))[:2000])
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


_STARVED_SHARE = 0.4
"""Of the time; an import that waited longer for a CPU says nothing of the environment."""


def torch_import(
    machine: Machine, choice: EnvironmentChoice, timeout: float, announce: Announce
) -> TorchImport:
    """
    Say how the import ended: well, with an error, with a signal, or not at all.

    Raises UnreadableError where the interpreter itself cannot be started, and where torch
    is simply not installed: that is no illness of the import.
    """
    _require_own_process(machine)
    prefix = find_prefix(choice, machine.environ)
    announce(f"import torch in {prefix.executable}")
    began = time.monotonic()
    try:
        done = run_bounded(
            [str(prefix.executable), "-c", PROBE_SCRIPT],
            environ=machine.environ,
            timeout=timeout,
            max_bytes=_MAX_OUTPUT_BYTES,
            mark=_LINE_MARK,
        )
    except OSError as error:
        message = f"{prefix.executable} cannot be started: {error.strerror}"
        raise UnreadableError(message) from error
    spent = time.monotonic() - began
    outcome, code = _parse_output(done.stdout), done.exit_code
    if outcome is not None and outcome.error in _NOT_INSTALLED_ERRORS:
        message = f"torch is not installed in {prefix.folder}"
        raise UnreadableError(message)
    if code is None and outcome is None and done.delayed_seconds > spent * _STARVED_SHARE:
        message = (
            f"import torch did not finish within {spent:.1f} s, for {done.delayed_seconds:.1f} s"
            " of which other processes kept it from the CPUs"
        )
        raise UnreadableError(message)
    if code is None:
        return _report_timeout(outcome, round(spent, 1))
    if outcome is not None and code == 0:
        return outcome
    return TorchImport(
        ok=False,
        seconds=round(spent, 3),
        signal=name_signal(-code) if code < 0 else "",
        error=_get_last_line(done.stderr) or f"the interpreter ended with exit code {code}",
    )


def _require_own_process(machine: Machine) -> None:
    """
    Refuse to run what the process of another user runs, in that user's environment.

    Its program and variables are that user's choice: they would act with our rights.
    """
    if machine.pid is None or not hasattr(os, "geteuid"):
        return
    words = re.search(r"^Uid:((?:\s+\d+)+)", read_file(machine.process / "status"), re.MULTILINE)
    owners = {int(word) for word in words[1].split()} if words else set[int]()
    if owners != {os.geteuid()}:
        owner = next(iter(owners - {os.geteuid()}), "unknown")
        message = (
            f"process {machine.pid} belongs to user id {owner}: its interpreter is not"
            " started with the rights of another user; run pipedoctor as that user"
        )
        raise UnreadableError(message)


def _report_timeout(result: TorchImport | None, seconds: float) -> TorchImport:
    """Report a timeout, of the import or only of CUDA."""
    if result is None:
        return TorchImport(ok=False, hang=Hang(doing="import torch", seconds=seconds))
    error = f"no answer from torch.cuda after {seconds:g} s"
    return msgspec.structs.replace(result, cuda_error=error)


def _parse_output(output: bytes) -> TorchImport | None:
    """Parse the probe's own line among other output; None where it never came."""
    _, found, line = output.rpartition(_LINE_MARK)
    if not found:
        return None
    with contextlib.suppress(msgspec.DecodeError):
        return msgspec.convert(decode_json(line.partition(b"\n")[0]), type=TorchImport)
    return None


def _get_last_line(complaints: bytes) -> str:
    lines = complaints.decode("utf-8", errors="replace").strip().splitlines()
    return lines[-1].strip()[:500] if lines else ""
