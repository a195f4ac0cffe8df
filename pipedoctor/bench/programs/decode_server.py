"""
Decode what comes in through stdin and say how long it took; as a program.

Run inside the examined interpreter with the path of `decoders.py` and a library's name.
Every answer is worked out in a child that is forked for it after the import: it has
the memory of a fresh process, and its crash is an answer, too.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import platform
import re
import resource
import runpy
import signal
import struct
import sys
import time
from collections.abc import Callable
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<I")
_EXIT_SECONDS = 1.0
"""For a child to end that has closed its answer."""
Command = dict[str, Any]
SignalReady = Callable[[], None]


def main(ways: str, library: str) -> None:
    """Import the library, say what it can, and answer until stdin ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    found, fault = call_safely(runpy.run_path(ways)["LIBRARIES"][library])
    if fault:
        _write_frame(answers, {"error": fault})
        return
    version, known, rgb = found
    ours = platform.python_version()
    _write_frame(answers, {"version": version, "ways": list(known), "python": ours})
    images: list[bytes] = []
    while command := _read_frame(requests):
        message = json.loads(command)
        if "images" in message:
            images = [_read_frame(requests) for _ in range(message["images"])]
            continue

        work = functools.partial(
            COMMANDS[message["do"]], known[message["way"]], rgb, images, message
        )
        _write_frame(answers, {"parts": run_in_children(work, message.get("processes", 1))})


def call_safely(call: Callable[[], Any]) -> tuple[Any, str]:
    """
    What it gives, or why it fails: the one place where anything may be raised.

    Libraries that decode do, SystemExit while they are imported as well, and that is
    the answer.
    """
    try:
        return call(), ""
    except BaseException as error:  # noqa: BLE001  (see above)
        return None, format_error(error)


def check_images(
    way: Any, _rgb: Any, images: list[bytes], _command: Command, _start: SignalReady
) -> Command:
    """Why which images cannot be decoded; and how long one pass takes."""
    failed: dict[str, str] = {}
    began = time.perf_counter()
    for number, data in enumerate(images):
        _, fault = call_safely(functools.partial(way, data))
        if fault:
            failed[str(number)] = fault
    return {"failed": failed, "seconds": time.perf_counter() - began}


def time_passes(
    way: Any, _rgb: Any, images: list[bytes], command: Command, start: SignalReady
) -> Command:
    """Seconds, CPU seconds and minor faults of whole passes, after a warm one."""
    chosen: list[bytes] = [images[number] for number in command["use"]]
    for data in chosen:
        way(data)
    start()
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    cpu, began = time.process_time(), time.perf_counter()
    for _ in range(command["passes"]):
        for data in chosen:
            way(data)
    return {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "faults": resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults,
        "images": command["passes"] * len(chosen),
    }


def extract_pixels(
    way: Any, rgb: Any, images: list[bytes], command: Command, _start: SignalReady
) -> Command:
    """One image as bytes of R, G and B; of a large one every so many rows."""
    width, height, plain = rgb(way(images[command["image"]]))
    step = max(1, len(plain) // command["most"])
    row = width * 3
    kept = b"".join(plain[y * row : (y + 1) * row] for y in range(0, height, step))
    return {
        "width": width,
        "height": height,
        "pixels": base64.b64encode(kept).decode(),
    }


COMMANDS: dict[str, Callable[..., Command]] = {
    "check": check_images,
    "clock": time_passes,
    "pixels": extract_pixels,
}


def run_in_children(work: Callable[[SignalReady], Command], count: int) -> list[Command]:
    """Do the same in so many children, which start at once; what each of them says."""
    ready, is_ready = os.pipe()
    go, let_go = os.pipe()
    children: list[tuple[int, int]] = []
    for _ in range(count):
        answer, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            for descriptor in (ready, let_go, answer):
                os.close(descriptor)
            _run_child(work, is_ready, go, writer)
        os.close(writer)
        children.append((pid, answer))
    os.close(is_ready)
    os.close(go)
    for _ in range(count):
        os.read(ready, 1)  # one byte of each, or the end of all
    os.close(ready)
    os.close(let_go)
    return [_read_answer(pid, answer) for pid, answer in children]


def _run_child(work: Callable[[SignalReady], Command], is_ready: int, go: int, writer: int) -> None:
    waiting = [is_ready]

    def start() -> None:
        os.write(is_ready, b"r")
        os.close(waiting.pop())
        os.read(go, 1)

    code = 1
    try:
        message, fault = call_safely(functools.partial(work, start))
        for descriptor in waiting:
            os.close(descriptor)  # else nobody reads the answer
        with os.fdopen(writer, "wb") as stream:
            stream.write(json.dumps({"error": fault} if fault else message).encode())
        code = 0
    finally:
        os._exit(code)  # a child never goes on as its parent


def _read_answer(pid: int, answer: int) -> Command:
    with os.fdopen(answer, "rb") as stream:
        text = stream.read()
    status = _wait_for_exit(pid)
    if text:
        message: Command = json.loads(text)
        return message
    if status is None:
        return {"error": "closed its answer, and does not end"}
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        name = next((known.name for known in signal.Signals if known == -code), f"signal {-code}")
        return {"error": f"killed by {name}"}
    return {"error": f"exited with code {code}"}


def _wait_for_exit(pid: int) -> int | None:
    """Wait briefly for a child that has answered; None: a driver keeps it, so it is killed."""
    until = time.monotonic() + _EXIT_SECONDS
    gone, status = os.waitpid(pid, os.WNOHANG)
    while not gone:
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            return None
        time.sleep(0.001)
        gone, status = os.waitpid(pid, os.WNOHANG)
    return status


def format_error(error: BaseException) -> str:
    """The last line of a traceback, cut to what a table can hold."""
    message = re.sub(r" <_io\.\w+ object at 0x[0-9a-f]+>", "", str(error))
    lines = message.strip().splitlines() or [""]
    text = f"{type(error).__name__}: {lines[0]}" if lines[0] else type(error).__name__
    return text[:300]


def _read_frame(stream: BinaryIO) -> bytes:
    head = stream.read(_LENGTH.size)
    return stream.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""


def _write_frame(stream: Any, message: Command) -> None:
    body = json.dumps(message).encode()
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


if __name__ == "__main__":
    main(*sys.argv[1:3])
