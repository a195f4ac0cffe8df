"""`watch --inject`: exact clocks in a job that runs already, and what they measured."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from pipedoctor import live
from pipedoctor.cli.actions.program_paths import find_dead_program_path
from pipedoctor.cli.actions.run_inside import InsideClocks
from pipedoctor.cli.request.requests_watch import WatchRequest
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.regular_file import read_start
from pipedoctor.watch.attach.remote_script import refuse_injection, send_script

if TYPE_CHECKING:
    from pipedoctor.watch.job.session import WatchSession
    from pipedoctor.watch.process.watched_process import WatchedProcess

_START = """\
import importlib.util
try:
    spec = importlib.util.spec_from_file_location("_pipedoctor_start", {folder!r} + "/injected.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.start({folder!r}, module)
except Exception:
    pass
"""
_STOP = """\
import os, shutil, sys
try:
    module = sys.modules.get("_pipedoctor_injected")
    if module is not None and module.belongs_to({folder!r}):
        module.stop()
    if os.path.exists({folder!r} + "/abandoned"):
        shutil.rmtree({folder!r}, ignore_errors=True)
except Exception:
    pass
"""
_ANSWER_SECONDS, _POLL_SECONDS = 5.0, 0.05
_MIN_LEASE_SECONDS = 30.0
_MAX_STATE_BYTES = 1 << 16
_NOTHING = "inject: nothing was measured: no DataLoader gave a batch meanwhile"


class _State(msgspec.Struct):
    reason: str = ""


class _Injection:
    """The clocks of one process: a folder that it may read and write."""

    def __init__(self, main: "WatchedProcess", proc: Path, lease: float) -> None:
        self._pid, self._version = main.member.pid, _find_version(main)
        self._proc, self._lease = proc / str(self._pid), lease
        refuse_injection(self._pid, self._version, self._proc)
        self._folder = Path(tempfile.mkdtemp(prefix="pipedoctor-inject-"))
        self._is_sent = self._runs = False

    def start(self) -> None:
        """Put clocks into the process; raises UnreadableError."""
        self._copy_scripts()
        self._send("start.py")
        self._is_sent = True
        state = self._await_state("state")
        if state is None:
            late = f"its main thread did not come to it within {_ANSWER_SECONDS:.0f} s"
            message = f"PID {self._pid}: {late}"
            raise UnreadableError(message)
        self._runs = not state.reason
        self._is_sent = self._runs
        if state.reason:
            message = f"PID {self._pid}: {state.reason}"
            raise UnreadableError(message)

    def _copy_scripts(self) -> None:
        for name in ("clocks.py", "injected.py"):
            shutil.copy(Path(str(live.__file__)).with_name(name), self._folder)
        for name, text in (("start.py", _START), ("stop.py", _STOP)):
            (self._folder / name).write_text(text.format(folder=str(self._folder)), "utf-8")
        self.renew()
        try:
            owner = self._proc.stat()
            if owner.st_uid != os.geteuid():
                for path in (self._folder, *self._folder.iterdir()):
                    os.chown(path, owner.st_uid, owner.st_gid)
        except OSError as error:
            message = f"PID {self._pid}: {error.strerror}"
            raise UnreadableError(message) from None

    def _send(self, name: str) -> None:
        assert self._version is not None  # noqa: S101  (that is refused)
        send_script(self._pid, self._version, self._folder / name, self._proc)

    def renew(self) -> None:
        """The clocks are wanted for a while longer."""
        lease, until = self._folder / "lease", time.time() + self._lease
        with contextlib.suppress(OSError):
            lease.touch()
            os.utime(lease, (until, until))

    def stop(self) -> str:
        """Take them off again; what they measured, in lines."""
        if not self._is_sent:
            shutil.rmtree(self._folder, ignore_errors=True)
            return ""
        if not self._runs:
            self._abandon()  # the process has not yet read what it was sent first
        with contextlib.suppress(UnreadableError):
            self._send("stop.py")
        if not self._runs:
            return ""
        stopped = self._await_state("stopped") is not None
        said = InsideClocks(self._folder).describe_figures(_NOTHING)
        if stopped or not self._proc.exists():
            shutil.rmtree(self._folder, ignore_errors=True)
            return said
        self._abandon()
        return f"{said}inject: PID {self._pid}: the clocks take themselves off at the next batch\n"

    def _abandon(self) -> None:
        """The process removes the folder itself, when it comes to it."""
        with contextlib.suppress(OSError):
            (self._folder / "abandoned").touch()
            os.utime(self._folder / "lease", (0, 0))

    def _await_state(self, kind: str) -> _State | None:
        """What it answers; None: nothing in time."""
        file, end = self._folder / f"{self._pid}.{kind}", time.monotonic() + _ANSWER_SECONDS
        while not file.exists():
            if time.monotonic() > end or not self._proc.exists():
                return None
            time.sleep(_POLL_SECONDS)
        try:
            return msgspec.json.decode(read_start(file, _MAX_STATE_BYTES), type=_State)
        except (OSError, msgspec.MsgspecError) as error:
            return _State(str(error))


def _find_version(main: "WatchedProcess") -> tuple[int, int] | None:
    return main.reader.version if main.reader is not None else None


@contextlib.contextmanager
def inject_clocks(
    request: WatchRequest, session: "WatchSession"
) -> Generator[Callable[[], None], None, None]:
    """Clocks while it lasts; gives what renews them. UsageError where that cannot be."""
    if dead := find_dead_program_path():
        message = f"--inject: {dead}"
        raise click.UsageError(message)
    lease = max(_MIN_LEASE_SECONDS, 3 * request.interval)
    injections: list[_Injection] = []

    def renew() -> None:
        for injection in injections:
            injection.renew()

    try:
        try:
            for main in session.list_mains():
                injections.append(_Injection(main, session.machine.proc, lease))
                injections[-1].start()
        except (UnreadableError, OSError) as error:
            message = f"--inject: {error}"
            raise click.UsageError(message) from None
        yield renew
    finally:
        said = "".join(injection.stop() for injection in injections)
        click.echo(said, nl=False, err=True)
