"""The process that looks after the user's code, and leaves nothing of it behind."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from pipedoctor.tune.target.leftover_files import LeftoverFiles
from pipedoctor.tune.target.memory_guard import MemoryGuard
from pipedoctor.tune.target.messages import (
    CleanedUp,
    MemoryExceeded,
    PrintedOutput,
    ProcessEnded,
    SupervisorMessage,
    encode_line,
)
from pipedoctor.tune.target.process_tree import (
    adopt_orphans,
    find_descendants,
    find_tree,
    kill_tree,
)

BOOT_CODE = (
    "import sys; sys.path[:] = [p for p in sys.path if p]; "
    "from pipedoctor.tune.target.{module} import main; main()"
)
MAX_OUTPUT_TAIL = 16 << 10
"""Bytes of the user's output that are kept, the last ones."""
# Else torch asks CUDA itself whether it is there, and no fork can use it any more.
NVML_VARIABLES = {"PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
_POLL_SECONDS = 0.1
_MAX_TEMP_PATH = 50


def main() -> None:
    """
    Start the host, drain its output, watch its memory; clean up when told to.

    `control_fd` is a socket to the program that a person sees: when it is closed, for
    whatever reason, everything that the target started is ended.
    """
    life, questions, answers, most = (int(argument) for argument in sys.argv[1:5])
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit_on_signal)
    remains = LeftoverFiles()
    room = _make_temp_folder()
    out, into = os.pipe()
    host = _start_host(into, questions, answers, sys.argv[5:], room)
    for descriptor in (into, questions, answers):
        os.close(descriptor)
    watch = Supervisor(life, out, host, most)
    try:
        watch.run_until_closed()
    except SystemExit:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        remains.record_used(find_descendants(os.getpid()))
        for _ in range(3):
            for pid in find_descendants(os.getpid()):
                kill_tree(pid)
            _reap_children()
        remains.remove_leftovers()
        if room:
            shutil.rmtree(room, ignore_errors=True)
        with contextlib.suppress(OSError):
            watch.send_message(CleanedUp())


def _start_host(
    output_fd: int, questions: int, answers: int, arguments: list[str], temp_folder: str
) -> subprocess.Popen[bytes]:
    own = {"TMPDIR": temp_folder} if temp_folder else {}
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            BOOT_CODE.format(module="host"),
            str(questions),
            str(answers),
            *arguments,
        ],
        stdin=subprocess.DEVNULL,
        stdout=output_fd,
        stderr=output_fd,
        pass_fds=(questions, answers),
        env={**NVML_VARIABLES, **os.environ, **own},
        preexec_fn=_prefer_oom_kill,  # noqa: PLW1509  (no threads run yet)
    )


def _make_temp_folder() -> str:
    """
    A folder for temporary files of processes that are killed; empty: there is none.

    Sockets lie in it, and their names may have no more than 107 characters.
    """
    with contextlib.suppress(OSError):
        place = tempfile.gettempdir()
        return tempfile.mkdtemp(prefix="pd-", dir=place if len(place) < _MAX_TEMP_PATH else "/tmp")
    return ""


def _prefer_oom_kill() -> None:
    """When memory runs out, the kernel shall take this process and no other."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
        file.write("1000")


class Supervisor:
    """
    Everything that the supervisor waits for.

    `max_memory` is in bytes, 0: no limit.
    """

    def __init__(
        self,
        control_fd: int,
        output_fd: int,
        host: subprocess.Popen[bytes],
        max_memory: int,
    ) -> None:
        self.control_fd, self.output_fd, self.host, self.max_memory = (
            control_fd,
            output_fd,
            host,
            max_memory,
        )
        self.guard = MemoryGuard(max_memory, lambda: find_tree(os.getpid()) - {os.getpid()})
        self.tail = bytearray()
        self.is_reported = self.is_output_closed = False
        self.memory_used = 0

    def run_until_closed(self) -> None:
        """Until `control_fd` is closed."""
        threading.Thread(target=self._watch_memory, daemon=True).start()
        beat = 0.0
        while True:
            heard = (
                [self.control_fd] if self.is_output_closed else [self.control_fd, self.output_fd]
            )
            ready, _, _ = select.select(heard, [], [], _POLL_SECONDS)
            if self.control_fd in ready:
                if not os.read(self.control_fd, 64):
                    return
                self.send_message(PrintedOutput(tail=self.tail.decode(errors="replace")))
            if self.output_fd in ready:
                self._read_output()
            if time.monotonic() > beat:
                beat = time.monotonic() + _POLL_SECONDS
                _reap_children(skip_pid=self.host.pid)
                self._check_host()

    def _watch_memory(self) -> None:
        """Beside the rest, which must answer at once: counting may take seconds."""
        while self.max_memory and not self.memory_used:
            time.sleep(_POLL_SECONDS)
            self.memory_used = self.guard.measure_excess()

    def _read_output(self) -> None:
        output = os.read(self.output_fd, 1 << 16)
        self.is_output_closed = not output  # nobody is left who could print: it stays readable
        self.tail += output
        del self.tail[:-MAX_OUTPUT_TAIL]

    def _check_host(self) -> None:
        if self.is_reported:
            return
        code = self.host.poll()
        if code is not None:
            while not self.is_output_closed and select.select([self.output_fd], [], [], 0)[0]:
                before = len(self.tail)
                self._read_output()
                if len(self.tail) in {before, MAX_OUTPUT_TAIL}:
                    break
            self._report_end(ProcessEnded(code=code, tail=self.tail.decode(errors="replace")))
        elif self.memory_used:
            for pid in find_descendants(os.getpid()):
                kill_tree(pid)
            self._report_end(MemoryExceeded(used=self.memory_used, most=self.max_memory))

    def _report_end(self, message: ProcessEnded | MemoryExceeded) -> None:
        self.is_reported = True
        self.send_message(message)

    def send_message(self, message: SupervisorMessage) -> None:
        """Tell the program one thing; it may be gone."""
        with contextlib.suppress(OSError):
            os.write(self.control_fd, encode_line(message))


def _reap_children(skip_pid: int = 0) -> None:
    """Collect the exit status of adopted children that have ended."""
    with contextlib.suppress(ChildProcessError):
        while True:
            seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if seen is None or seen.si_pid == skip_pid:
                return
            os.waitpid(seen.si_pid, 0)


def _exit_on_signal(signum: int, frame: object) -> None:
    del signum, frame
    raise SystemExit
