"""The process that looks after the user's code, and leaves nothing of it behind."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

from pipedoctor.tune.inside.guard import Guard
from pipedoctor.tune.inside.kin import adopt_orphans, descendants, kill_all, tree
from pipedoctor.tune.inside.remains import Remains

BOOT = (
    "import sys; sys.path[:] = [p for p in sys.path if p]; "
    "from pipedoctor.tune.inside.{module} import main; main()"
)
TAIL = 16 << 10
"""Bytes of the user's output that are kept, the last ones."""
# Else torch asks CUDA itself whether it is there, and no fork can use it any more.
ASKS_NVML = {"PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
_BEAT = 0.1
_LONG = 50


def main() -> None:
    """
    Start the host, drain its output, watch its memory; clean up when told to.

    `life` is a socket to the program that a person sees: when it is closed, for
    whatever reason, everything that the target started is ended.
    """
    life, questions, answers, most = (int(argument) for argument in sys.argv[1:5])
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    remains = Remains()
    room = _room()
    out, into = os.pipe()
    host = _start(into, questions, answers, sys.argv[5:], room)
    for descriptor in (into, questions, answers):
        os.close(descriptor)
    watch = Watch(life, out, host, most)
    try:
        watch.until_the_end()
    except SystemExit:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        remains.note(descendants(os.getpid()))
        for _ in range(3):
            for pid in descendants(os.getpid()):
                kill_all(pid)
            _reap()
        remains.remove()
        if room:
            shutil.rmtree(room, ignore_errors=True)
        with contextlib.suppress(OSError):
            watch.tell({"clean": True})


def _start(
    into: int, questions: int, answers: int, rest: list[str], room: str
) -> subprocess.Popen[bytes]:
    own = {"TMPDIR": room} if room else {}
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            BOOT.format(module="host"),
            str(questions),
            str(answers),
            *rest,
        ],
        stdin=subprocess.DEVNULL,
        stdout=into,
        stderr=into,
        pass_fds=(questions, answers),
        env={**ASKS_NVML, **os.environ, **own},
        preexec_fn=_expendable,  # noqa: PLW1509  (no threads run yet)
    )


def _room() -> str:
    """
    A folder for temporary files of processes that are killed; empty: there is none.

    Sockets lie in it, and their names may have no more than 107 characters.
    """
    with contextlib.suppress(OSError):
        place = tempfile.gettempdir()
        return tempfile.mkdtemp(
            prefix="pd-", dir=place if len(place) < _LONG else "/tmp"
        )
    return ""


def _expendable() -> None:
    """When memory runs out, the kernel shall take this process and no other."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
        file.write("1000")


class Watch:
    """Everything that the keeper waits for; `most` is memory in bytes, 0: all."""

    def __init__(
        self, life: int, out: int, host: subprocess.Popen[bytes], most: int
    ) -> None:
        self.life, self.out, self.host, self.most = life, out, host, most
        self.guard = Guard(most, lambda: tree(os.getpid()) - {os.getpid()})
        self.tail = bytearray()
        self.told = self.silent = False
        self.used = 0

    def until_the_end(self) -> None:
        """Until `life` is closed."""
        threading.Thread(target=self._weigh, daemon=True).start()
        beat = 0.0
        while True:
            heard = [self.life] if self.silent else [self.life, self.out]
            ready, _, _ = select.select(heard, [], [], _BEAT)
            if self.life in ready:
                if not os.read(self.life, 64):
                    return
                self.tell({"tail": self.tail.decode(errors="replace")})
            if self.out in ready:
                self._drain()
            if time.monotonic() > beat:
                beat = time.monotonic() + _BEAT
                _reap(but=self.host.pid)
                self._look()

    def _weigh(self) -> None:
        """Beside the rest, which must answer at once: counting may take seconds."""
        while self.most and not self.used:
            time.sleep(_BEAT)
            self.used = self.guard.over()

    def _drain(self) -> None:
        said = os.read(self.out, 1 << 16)
        self.silent = not said  # nobody is left who could print: it stays readable
        self.tail += said
        del self.tail[:-TAIL]

    def _look(self) -> None:
        if self.told:
            return
        code = self.host.poll()
        if code is not None:
            while not self.silent and select.select([self.out], [], [], 0)[0]:
                before = len(self.tail)
                self._drain()
                if len(self.tail) in {before, TAIL}:
                    break
            self._say({"ended": code, "tail": self.tail.decode(errors="replace")})
        elif self.used:
            for pid in descendants(os.getpid()):
                kill_all(pid)
            self._say({"memory": self.used, "most": self.most})

    def _say(self, message: dict[str, Any]) -> None:
        self.told = True
        self.tell(message)

    def tell(self, message: dict[str, Any]) -> None:
        """Tell the program one thing; it may be gone."""
        with contextlib.suppress(OSError):
            os.write(self.life, json.dumps(message).encode() + b"\n")


def _reap(but: int = 0) -> None:
    """Take leave of adopted children that have ended."""
    with contextlib.suppress(ChildProcessError):
        while True:
            seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if seen is None or seen.si_pid == but:
                return
            os.waitpid(seen.si_pid, 0)


def _end(signum: int, frame: object) -> None:
    del signum, frame
    raise SystemExit
