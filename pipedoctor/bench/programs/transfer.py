"""
Copy batches to the GPU in several ways; as a program, inside the examined interpreter.

Prints lines of JSON, of which the last one counts: every window's seconds, or why there
are none; one before it has the copies alone and says ``partial``. The measuring
functions take what they need of CUDA as arguments, so that they run without it, too.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

_FLOAT_BYTES = 4
_MATRIX_EDGE = 1024
"""Of the matrices whose products stand for a model."""
_PRODUCTS_TIMED = 20
"""Products that are timed together, so that waiting for the device counts little."""
_COMPUTE_MARGIN = 1.1
"""Computing must not be shorter than the copy that it is to hide."""
_WINDOW_BATCHES = 12
"""Copied and computed in one window of a step."""
_WARMUP_ROUNDS = 2
_MAX_ROUNDS = 40
Synchronize = Callable[[], None]
SendPartial = Callable[[dict[str, Any]], None]


def ignore_answer(_: dict[str, Any]) -> None:
    """Nobody wants to know before the end."""


def main(
    batch_bytes: int, seconds: float, send_partial: SendPartial = ignore_answer
) -> dict[str, Any]:
    """Everything that was measured, or ``error``; `tell` gets what is known sooner."""
    until = time.perf_counter() + seconds
    try:
        torch: Any = importlib.import_module("torch")
    except (ImportError, OSError) as error:  # OSError: a library of CUDA is missing
        return {"error": f"torch cannot be imported: {error}"}
    if not torch.cuda.is_available():
        return {"error": explain_no_gpu(torch)}
    try:
        return measure_transfer(torch, batch_bytes, until, send_partial)
    except RuntimeError as error:  # also torch.OutOfMemoryError
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return {"error": f"the GPU cannot be used: {lines[0]}"}


def measure_transfer(
    torch: Any,
    batch_bytes: int,
    until: float,
    send_partial: SendPartial = ignore_answer,
) -> dict[str, Any]:
    """Copies for half of the time, then copies beside computing."""
    device = torch.device("cuda", torch.cuda.current_device())
    sync: Synchronize = torch.cuda.synchronize

    host = torch.ones(max(1, batch_bytes // _FLOAT_BYTES))
    ways = build_copies(host, torch.empty_like(host, device=device), _pin)
    now = time.perf_counter()
    found = time_rounds(ways, sync, now + (until - now) / 2)
    known = {
        "device": torch.cuda.get_device_name(device),
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "batch_bytes": host.numel() * _FLOAT_BYTES,
        "copies": found,
    }
    send_partial({**known, "steps": {}, "partial": True})
    copy = sorted(total for total, _ in found["pinned, non_blocking"])
    compute = build_compute(torch, device, sync, copy[len(copy) // 2])
    pinned = _pin(host)
    loops = {
        "compute alone": lambda: run_compute(compute),
        "pageable, then compute": lambda: copy_and_compute(host, device, compute, wait=True),
        "pinned and non_blocking": lambda: copy_and_compute(pinned, device, compute, wait=False),
        "prefetched on a side stream": build_prefetch_window(torch, pinned, device, compute),
    }
    steps = time_rounds(loops, sync, until)
    return {
        **known,
        "steps": {
            name: [total / _WINDOW_BATCHES for total, _ in windows]
            for name, windows in steps.items()
        },
    }


def _pin(tensor: Any) -> Any:
    return tensor.pin_memory()


def explain_no_gpu(torch: Any) -> str:
    """Why there is no GPU, as far as torch itself can tell."""
    version = torch.__version__
    if torch.version.cuda is None and getattr(torch.version, "hip", None) is None:
        return f"no usable GPU: torch {version} is built for CPUs only"
    return f"no usable GPU: torch {version} finds none (torch.cuda.is_available())"


def build_copies(
    host: Any, device_tensor: Any, pin: Callable[[Any], Any]
) -> dict[str, Callable[[], Any]]:
    """Ways to bring `host` to `there`; `pin` gives it in pinned memory."""
    pinned = pin(host)
    return {
        "pageable": lambda: device_tensor.copy_(host),
        "pageable, non_blocking": lambda: device_tensor.copy_(host, non_blocking=True),
        "pinned": lambda: device_tensor.copy_(pinned),
        "pinned, non_blocking": lambda: device_tensor.copy_(pinned, non_blocking=True),
        "pin_memory() each time": lambda: device_tensor.copy_(pin(host), non_blocking=True),
    }


def time_rounds(
    ways: Mapping[str, Callable[[], Any]], sync: Synchronize, until: float
) -> dict[str, list[tuple[float, float]]]:
    """
    Do each in turn until the time ends: seconds to the end, seconds to the return.

    At least three rounds, after two that do not count.
    """
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for number in range(_MAX_ROUNDS):
        if number > _WARMUP_ROUNDS + 2 and time.perf_counter() > until:
            break
        for name, way in ways.items():
            sync()
            began = time.perf_counter()
            way()
            returned = time.perf_counter()
            sync()
            if number >= _WARMUP_ROUNDS:
                ended = time.perf_counter()
                found[name].append((ended - began, returned - began))
    return found


def build_compute(
    torch: Any, device: Any, sync: Synchronize, seconds: float, edge: int = _MATRIX_EDGE
) -> Callable[[], None]:
    """Matrix products that take the device so long, or a little longer."""
    matrix = torch.randn(edge, edge, device=device)
    out = torch.empty_like(matrix)

    def multiply_once() -> None:
        torch.mm(matrix, matrix, out=out)

    def multiply_repeatedly() -> None:
        for _ in range(_PRODUCTS_TIMED):
            multiply_once()

    known = time_rounds({"many": multiply_repeatedly}, sync, 0.0)["many"]
    one = min(total for total, _ in known) / _PRODUCTS_TIMED
    count = max(1, math.ceil(_COMPUTE_MARGIN * seconds / max(one, 1e-7)))

    def compute() -> None:
        for _ in range(count):
            multiply_once()

    return compute


def run_compute(compute: Callable[[], None]) -> None:
    """Compute on what is there already."""
    for _ in range(_WINDOW_BATCHES):
        compute()


def copy_and_compute(host: Any, device: Any, compute: Callable[[], None], *, wait: bool) -> None:
    """Copy, then compute, in the order of one stream."""
    for _ in range(_WINDOW_BATCHES):
        host.to(device, non_blocking=not wait, copy=True)
        compute()


def build_prefetch_window(
    torch: Any, pinned_batch: Any, device: Any, compute: Callable[[], None]
) -> Callable[[], None]:
    """
    Copy the next batch on a stream of its own while this one is computed on.

    `record_stream` keeps the allocator from handing out a batch's memory again before
    the main stream is done with it. Stream and first batch are made once: memory is
    kept for each stream apart, and each window copies as often as it computes.
    """
    side = torch.cuda.Stream(device)

    def fetch_batch() -> Any:
        with torch.cuda.stream(side):
            return pinned_batch.to(device, non_blocking=True)

    coming = [fetch_batch()]

    def window() -> None:
        for _ in range(_WINDOW_BATCHES):
            main_stream = torch.cuda.current_stream(device)
            main_stream.wait_stream(side)
            batch = coming.pop()
            batch.record_stream(main_stream)
            coming.append(fetch_batch())
            compute()

    return window


def _print_answer(answer: dict[str, Any], answers: int) -> None:
    """On a line of its own: something else may have been printed before."""
    os.write(answers, b"\n" + json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    answer_to = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    size, time_left = int(sys.argv[1]), float(sys.argv[2])
    _print_answer(main(size, time_left, lambda known: _print_answer(known, answer_to)), answer_to)
