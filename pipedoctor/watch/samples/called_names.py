"""Which functions a line of code calls, by its text: C functions have no frames."""

import functools
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipedoctor.bottleneck.function_kinds import DECODE, READ, TRANSFORM, classify_call
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.runtime import lanes
from pipedoctor.runtime.lanes import Probe
from pipedoctor.runtime.regular_file import read_start
from pipedoctor.watch.samples.tally import CodeLine

_CALL_PATTERN = compile_lazily(r"([\w.]+)\s*\(")
_LOADING_PATTERN = compile_lazily(
    r"\b(?:np|numpy|torch|pickle|cPickle|dill|joblib|marshal|json|orjson|yaml|torchaudio|sf|librosa)"
    r"\.(?:safe_|unsafe_|full_)?load\w*\s*\(|\b(?:fromfile|loadtxt|genfromtxt|loadmat)\s*\("
)
"""Functions of libraries that make values of bytes; one of the user's may do anything."""
_PLAIN_READ_PATTERN = compile_lazily(r"\bos\.(?:pread|preadv|read|readv)\s*\(|\.readinto1?\s*\(")
"""Reads that compute nothing: what they cost is the system call."""
_LOCKING_PATTERN = compile_lazily(
    r"\.(?:execute(?:many|script)?|commit|fetch(?:one|all|many)|read_sql\w*|to_sql|acquire"
    r"|lock|flock|lockf)\s*\(|\bwith\b(?!.*\()"
)
"""Calls that sleep until others give their lock back: those of SQLite do."""
_MODEL_PATTERN = compile_lazily(
    r"\b\w*(?:model|net|module|criterion|loss|optim\w*|backbone|head|encoder|decoder)\w*\s*\("
    r"|\.(?:backward|step|forward|matmul|mm|bmm|addmm|relu|softmax|item|cuda|cpu|to"
    r"|synchronize|all_reduce|train_step|zero_grad)\s*\(|\w\s*@\s*\w",
    re.IGNORECASE,
)
"""Names that a step of training calls."""
_MAX_FILE_BYTES = 1 << 20
_TIMEOUT_SECONDS = 1.0


def find_code_root(pid: int, proc: Path = Path("/proc")) -> str:
    """
    Where the files of a process lie for us: its own root where it has other mounts.

    Empty: it sees the same files as we do, or that is not known.
    """
    try:
        theirs = (proc / str(pid) / "ns" / "mnt").readlink()
        return "" if theirs == Path("/proc/self/ns/mnt").readlink() else f"{proc}/{pid}/root"
    except OSError:
        return ""


def is_decoding_line(place: CodeLine, root: str = "") -> bool:
    """
    Does one of the functions that this line calls decode? `root`: see `find_code_root`.

    One that reads, and computes meanwhile, decodes, unless another one transforms.
    """
    text = read_line_text(root + place[0], place[1])
    names = _CALL_PATTERN.findall(text)
    if _LOADING_PATTERN.search(text):
        return True
    kinds = {classify_call(name.rpartition(".")[2], "", name) for name in names}
    return DECODE in kinds or (READ in kinds and TRANSFORM not in kinds)


def is_plain_read_line(place: CodeLine, root: str = "") -> bool:
    """Does this line read bytes as they are, and nothing else that is known?"""
    text = read_line_text(root + place[0], place[1])
    return bool(_PLAIN_READ_PATTERN.search(text))


def is_locking_line(place: CodeLine, root: str = "") -> bool:
    """Does this line, which sleeps, wait for a lock? Also all that a function `acquire` does."""
    if place[2].rpartition(".")[2].strip("_") == "acquire":
        return True
    text = read_line_text(root + place[0], place[1])
    return "sleep" not in text and bool(_LOCKING_PATTERN.search(text))


def read_line_text(path: str, line: int) -> str:
    """A line of a file, or nothing where that cannot be read, or hangs."""
    lines = _read_lines(path)
    return lines[line - 1] if 0 < line <= len(lines) else ""


@functools.lru_cache(maxsize=64)
def _read_lines(path: str) -> tuple[str, ...]:
    """Read in a child process: the mount of the code may be what hangs."""
    if not path.startswith("/") or not lanes.CAN_FORK:
        return ()
    probe = Probe(name="source", work=_build_reader(path), lane=path, timeout=_TIMEOUT_SECONDS)
    outcome = lanes.run_in_processes([probe], until=time.monotonic() + _TIMEOUT_SECONDS)["source"]
    value = outcome.value if outcome.has_value else ""
    return tuple(str(value).splitlines())


def _build_reader(path: str) -> Callable[[Callable[[str], None]], Any]:
    def work(announce: Callable[[str], None]) -> str:
        announce(f"open {path}")
        return read_start(path, _MAX_FILE_BYTES).decode("utf-8", "replace")

    return work


def is_model_line(place: CodeLine, root: str = "") -> bool:
    """Does this line of a step run the model, or wait for what it gives?"""
    text = read_line_text(root + place[0], place[1])
    return bool(_MODEL_PATTERN.search(text))
