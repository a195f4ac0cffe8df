"""What the command line asks for, as the engine takes it."""

import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from pipedoctor.cli.against import record_of
from pipedoctor.collect import files
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.plan import Inquiry
from pipedoctor.collect.prefix import Chosen, find, of_process
from pipedoctor.collect.reading import Reading
from pipedoctor.config import Options
from pipedoctor.facts import Unreadable
from pipedoctor.source.files import Source
from pipedoctor.source.folders import DEFAULT
from pipedoctor.who import Who, whoami

_ENVIRON = 4 << 20
_GLANCE = 0.15
"""Of the deadline, for asking whether what was named is there at all."""
_NO_MEMORY = "No such process"
"""What newer kernels say of a zombie and of their own threads."""


def inquiry(
    options: Options,
    paths: tuple[str, ...],
    pid: int | None,
    against: str | None = None,
    *,
    verify_files: bool = False,
    typed: Source | None = None,
) -> Inquiry:
    """Name what to examine; raises UsageError for what is not there."""
    machine = Machine() if pid is None else _of(pid)
    named = {"--data": options.data, "PATHS": paths}
    _must_exist(machine, named, min(files.PATIENCE, options.deadline * _GLANCE))
    return Inquiry(
        machine=machine,
        data=options.data,
        code=paths,
        reading=Reading(
            jobs=options.jobs,
            cache=not options.no_cache,
            cache_dir=options.cache_dir or "",
            gitignore=not options.no_gitignore,
            exclude=_excluded(options),
            typed=typed,
        ),
        quick=options.quick,
        loader=options.loader,
        chosen=_chosen(options, machine),
        against=record_of(against) if against is not None else None,
        verify_files=verify_files,
    )


def _excluded(options: Options) -> tuple[str, ...]:
    """Each may hold several, with commas."""
    own = DEFAULT if options.exclude is None else options.exclude
    texts = (*own, *options.extend_exclude)
    return tuple(
        one.strip() for text in texts for one in text.split(",") if one.strip()
    )


def _chosen(options: Options, machine: Machine) -> Chosen:
    """The environment as the user named it; raises UsageError when there is none."""
    chosen = Chosen(python=options.python or "", env=options.env or "")
    if chosen == Chosen() and machine.pid is not None:
        return _of_process(machine)
    if chosen != Chosen():
        try:
            named = "the Python environment"
            files.patiently(named, lambda _: str(find(chosen, machine.environ).folder))
        except files.Silent as error:
            given = (
                f"--python {chosen.python}" if chosen.python else f"--env {chosen.env}"
            )
            message = f"{given}: {error}"
            raise click.UsageError(message) from None
        except Unreadable as error:
            raise click.UsageError(str(error)) from None
    return chosen


def _of_process(machine: Machine) -> Chosen:
    try:
        return of_process(machine)
    except OSError as error:
        return Chosen(elsewhere=f"process {machine.pid}: {files.why(error)}")


def record(source: str, others: Mapping[str, Any]) -> bytes:
    """The bytes of a report to judge; raises UsageError, or Malformed for a .zip."""
    for name, value in others.items():
        if value:
            message = f"--from judges a record: {name} names something of this machine"
            raise click.UsageError(message)
    from pipedoctor.report.json import LARGEST

    if source == "-":
        return _unpacked(sys.stdin.buffer.read(LARGEST + 1))
    try:
        return _unpacked(files.load(source, LARGEST + 1))
    except Unreadable as error:
        message = f"--from {source}: cannot be read: {error}"
        raise click.UsageError(message) from None


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(b"PK"):
        return data
    from pipedoctor import bundle

    return bundle.report_in(data) if data.startswith(bundle.MAGIC) else data


def who(machine: Machine) -> Who:
    """Everybody who is known here: the user, and whom the examined job runs as."""
    host = os.uname().nodename if hasattr(os, "uname") else ""
    here = whoami(os.environ, host, _passwd())
    there = whoami(machine.environ, host)
    return Who(
        users=here.users + there.users,
        hosts=here.hosts + there.hosts,
        homes=here.homes + there.homes,
    )


def _passwd() -> str:
    """The user's name in the local file; a directory server is not asked."""
    if not hasattr(os, "getuid"):
        return ""
    uid = str(os.getuid())
    try:
        with open("/etc/passwd", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            rows = (line.split(":") for line in file)
            return next((row[0] for row in rows if row[2:3] == [uid]), "")
    except OSError:
        return ""


def _of(pid: int) -> Machine:
    """The machine as this process sees it; raises UsageError when it cannot be seen."""
    if not sys.platform.startswith("linux"):
        message = f"--pid {pid}: a running process can only be examined on Linux"
        raise click.UsageError(message)
    try:
        environ = files.load(f"/proc/{pid}/environ", _ENVIRON)
        if not environ and not files.load(f"/proc/{pid}/cmdline", 1):
            raise Unreadable(_NO_MEMORY)  # noqa: TRY301  (as newer kernels do)
    except Unreadable as error:
        message = f"--pid {pid}: {_why(str(error))}"
        raise click.UsageError(message) from None
    pairs = (pair.partition("=") for pair in os.fsdecode(environ).split("\0"))
    return Machine(pid=pid, environ={name: value for name, is_, value in pairs if is_})


def _why(reason: str) -> str:
    if "ermission" in reason:
        return (
            "belongs to another user, its limits, mounts and environment cannot be"
            " read; run this as that user or with sudo"
        )
    if reason == _NO_MEMORY:
        return "has ended already, or is a thread of the kernel"
    return f"no such process is running here ({reason})"


def _must_exist(
    machine: Machine, named: Mapping[str, tuple[str, ...]], patience: float
) -> None:
    """Ask in lanes, for any path may hang; one that hangs is the checks' business."""
    seen = {
        str(_seen(machine, path)): (option, path)
        for option, paths in named.items()
        for path in paths
    }
    for path, reason in files.missing(seen, patience=patience).items():
        option, given = seen[path]
        expected = "a data set" if option == "--data" else "a file or folder of code"
        message = f"{option}: {given}: {reason}; expected {expected}"
        raise click.UsageError(message)


def _seen(machine: Machine, path: str) -> str:
    """The path as this process can reach it."""
    if machine.pid is None:
        return path
    return str(machine.inside(os.path.join(os.getcwd(), path)))  # noqa: PTH109, PTH118
