"""`check --fleet-dir --probe`: a few seconds of measuring, the same on every node."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pipedoctor.bench import transfer
from pipedoctor.bench.decoder import ONE_THREAD
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import NodeProbe, UnreadableError
from pipedoctor.runtime.captured_process import LateProcessError, run_captured

PROGRAMS_FOLDER = Path(__file__).parent / "programs"
BUDGET_SECONDS = 1.5
"""For what a core does; the start of the interpreter comes on top."""
PROGRAM_TIMEOUT = 15.0
TRANSFER_SECONDS = 8.0
TRANSFER_BYTES = 64 << 20
DRIVER_DEVICE = "/dev/nvidiactl"


class _CoreMeasurement(msgspec.Struct, frozen=True):
    """What the program says."""

    decoder: str
    decode_seconds: float
    page_faults_per_second: float
    memory_bytes_per_second: float


def probe_node(executable: str, machine: Machine, *, timeout: float = PROGRAM_TIMEOUT) -> NodeProbe:
    """Measure; what cannot be measured has a reason."""
    began = time.monotonic()
    known: dict[str, object] = {}
    unknown: dict[str, str] = {}
    try:
        known |= msgspec.structs.asdict(_probe_core(executable, machine.environ, timeout))
    except UnreadableError as error:
        unknown["decode_seconds"] = str(error)
    try:
        known["transfer_bytes_per_second"] = _probe_transfer(executable, machine)
    except UnreadableError as error:
        unknown["transfer_bytes_per_second"] = str(error)
    spent = round(time.monotonic() - began, 3)
    fields = {**known, "unknown": unknown, "seconds": spent}
    return msgspec.convert(fields, NodeProbe)


def _probe_core(executable: str, environ: Mapping[str, str], timeout: float) -> _CoreMeasurement:
    argv = [
        executable,
        str(PROGRAMS_FOLDER / "node_probe.py"),
        str(PROGRAMS_FOLDER / "picture.jpg"),
        str(BUDGET_SECONDS),
    ]
    try:
        done = run_captured(argv, environ={**environ, **ONE_THREAD}, timeout=timeout)
    except LateProcessError as error:
        message = f"the probe {error}"
        raise UnreadableError(message) from None
    except OSError as error:
        message = f"{executable}: {error.strerror}"
        raise UnreadableError(message) from None
    try:
        return msgspec.json.decode(done.stdout, type=_CoreMeasurement)
    except msgspec.MsgspecError:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        message = lines[-1] if lines else f"ended with {done.returncode}"
        raise UnreadableError(message) from None


def _probe_transfer(executable: str, machine: Machine) -> float:
    if not os.path.exists(DRIVER_DEVICE):  # noqa: PTH110  (it would cost an import of torch)
        message = "no NVIDIA driver here"
        raise UnreadableError(message)
    found = transfer.measure_transfer(
        executable,
        machine.environ,
        batch_bytes=TRANSFER_BYTES,
        budget=TRANSFER_SECONDS,
        machine=machine,
    )
    for copy in found.copies:
        if copy.name == transfer.PINNED_COPY:
            return copy.rate.value
    message = "nothing was copied"
    raise UnreadableError(message)
