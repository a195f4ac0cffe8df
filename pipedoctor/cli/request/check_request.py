"""What the command line asks of this machine, as the collectors take it."""

import os
import sys
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import click

from pipedoctor.cli.request.check_options import CheckOptions
from pipedoctor.cli.request.environment_record import read_environment_record
from pipedoctor.collect.code.code_reading import ReadingOptions
from pipedoctor.collect.environment.prefix import EnvironmentChoice, choose_for_process, find_prefix
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.plan import CollectionRequest
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files
from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.discover.folders import DEFAULT_EXCLUDE

_MAX_ENVIRON_BYTES = 4 << 20
_PATH_CHECK_SHARE = 0.15
"""Of the deadline, for asking whether what was named is there at all."""
_CODE_SUFFIXES = ("", ".py", ".pyw", ".ipynb")
_NO_SUCH_PROCESS = "No such process"
"""What newer kernels say of a zombie and of their own threads."""


def build_inquiry(
    options: CheckOptions,
    paths: tuple[str, ...],
    pid: int | None,
    against: str | None = None,
    *,
    verify_files: bool = False,
    stdin_source: SourceFile | None = None,
) -> CollectionRequest:
    """Name what to examine; raises UsageError for what is not there."""
    machine = Machine() if pid is None else _open_process_machine(pid)
    named = {"--data": options.data, "PATHS": paths}
    _require_paths(machine, named, min(files.FILE_TIMEOUT, options.deadline * _PATH_CHECK_SHARE))
    if machine.pid is None:
        _require_code(paths)
    return CollectionRequest(
        machine=machine,
        data=options.data,
        code=paths,
        reading=ReadingOptions(
            jobs=options.jobs,
            cache=not options.no_cache,
            cache_dir=options.cache_dir or "",
            gitignore=not options.no_gitignore,
            exclude=_list_excluded(options),
            stdin_source=stdin_source,
        ),
        quick=options.quick,
        loader=options.loader,
        environment=_choose_environment(options, machine),
        record_file=read_environment_record(against) if against is not None else None,
        verify_files=verify_files,
    )


def _list_excluded(options: CheckOptions) -> tuple[str, ...]:
    """Each may hold several, with commas."""
    own = DEFAULT_EXCLUDE if options.exclude is None else options.exclude
    texts = (*own, *options.extend_exclude)
    return tuple(one.strip() for text in texts for one in text.split(",") if one.strip())


def _choose_environment(options: CheckOptions, machine: Machine) -> EnvironmentChoice:
    """The environment as the user named it; raises UsageError when there is none."""
    chosen = EnvironmentChoice(python=options.python or "", env=options.env or "")
    if chosen == EnvironmentChoice() and machine.pid is not None:
        return _find_process_environment(machine)
    if chosen != EnvironmentChoice():
        try:
            named = "the Python environment"
            files.run_with_timeout(
                named, lambda _: str(find_prefix(chosen, machine.environ).folder)
            )
        except files.FileTimeoutError as error:
            option = f"--python {chosen.python}" if chosen.python else f"--env {chosen.env}"
            message = f"{option}: {error}"
            raise click.UsageError(message) from None
        except UnreadableError as error:
            raise click.UsageError(str(error)) from None
    return chosen


def _find_process_environment(machine: Machine) -> EnvironmentChoice:
    try:
        return choose_for_process(machine)
    except OSError as error:
        return EnvironmentChoice(
            unreadable_reason=f"process {machine.pid}: {files.describe_error(error)}"
        )


def read_record(source: str, others: Mapping[str, Any]) -> bytes:
    """The bytes of a report to judge; raises UsageError, or Malformed for a .zip."""
    for name, value in others.items():
        if value:
            message = f"--from judges a saved report: it cannot be combined with {name}"
            raise click.UsageError(message)
    from pipedoctor.report.json import MAX_REPORT_BYTES

    if source == "-":
        return _unpack_report(sys.stdin.buffer.read(MAX_REPORT_BYTES + 1))
    try:
        return _unpack_report(files.load_file(source, MAX_REPORT_BYTES + 1))
    except UnreadableError as error:
        message = f"--from {source}: cannot be read: {error}"
        raise click.UsageError(message) from None


def _unpack_report(data: bytes) -> bytes:
    if not data.startswith(b"PK"):
        return data
    from pipedoctor.report import bundle

    return bundle.extract_report(data) if data.startswith(bundle.ZIP_MAGIC) else data


def _open_process_machine(pid: int) -> Machine:
    """The machine as this process sees it; raises UsageError when it cannot be seen."""
    if not sys.platform.startswith("linux"):
        message = f"--pid {pid}: a running process can only be examined on Linux"
        raise click.UsageError(message)
    try:
        environ = files.load_file(f"/proc/{pid}/environ", _MAX_ENVIRON_BYTES)
        if not environ and not files.load_file(f"/proc/{pid}/cmdline", 1):
            raise UnreadableError(_NO_SUCH_PROCESS)  # noqa: TRY301  (as newer kernels do)
    except UnreadableError as error:
        message = f"--pid {pid}: {_explain_unreadable(str(error))}"
        raise click.UsageError(message) from None
    pairs = (pair.partition("=") for pair in os.fsdecode(environ).split("\0"))
    return Machine(pid=pid, environ={name: value for name, is_, value in pairs if is_})


def _explain_unreadable(reason: str) -> str:
    if "ermission" in reason:
        return (
            "belongs to another user: its limits, mounts and environment cannot be"
            " read; run this as that user or with sudo"
        )
    if reason == _NO_SUCH_PROCESS:
        return "has ended already, or is a kernel thread"
    return f"no such process is running on this machine ({reason})"


def _require_paths(
    machine: Machine, paths_by_option: Mapping[str, tuple[str, ...]], patience: float
) -> None:
    """Ask in lanes, for any path may hang; one that hangs is the checks' business."""
    seen = {
        str(_resolve_path(machine, path)): (option, path)
        for option, paths in paths_by_option.items()
        for path in paths
    }
    for path, reason in files.find_missing(seen, timeout=patience).items():
        option, name = seen[path]
        expected = "a dataset" if option == "--data" else "a file or folder of code"
        message = f"{option}: {name}: {reason}; expected {expected}"
        raise click.UsageError(message)


def _require_code(paths: tuple[str, ...]) -> None:
    """Refuse a file that another command reads; raises UsageError."""
    others = [path for path in paths if PurePath(path).suffix not in _CODE_SUFFIXES]
    for path in others:
        from pipedoctor.cli.request.file_kind import refuse_unless

        refuse_unless(path, "code")


def _resolve_path(machine: Machine, path: str) -> str:
    """The path as this process can reach it."""
    if machine.pid is None:
        return path
    return str(machine.map_path(os.path.join(os.getcwd(), path)))  # noqa: PTH109, PTH118
