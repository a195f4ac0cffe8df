"""
What each command is asked for: one struct a command, from click to judgement.

The fields bear the names of click's parameters: `TuneRequest(**parameters)` is the
request of `tune`. What `check` and `report` may also find in a configuration file is in
`CheckOptions`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
import msgspec
from click.core import ParameterSource

if TYPE_CHECKING:
    from pipedoctor.cli.request.check_options import CommandLineOptions
    from pipedoctor.cli.request.job_request import JobRequest
    from pipedoctor.source.discover.files import SourceFile


class OutputRequest(msgspec.Struct, frozen=True, kw_only=True):
    """In which format a command answers, and where to."""

    form: str = "text"
    """A name in `pipedoctor.cli.formats`."""
    output: str | None = None
    """A file; None or ``-``: stdout."""
    no_redact: bool = False
    no_color: bool = False


class CodeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Which training code is read."""

    paths: tuple[str, ...] = ()
    """Files and folders; ``-`` is stdin until `read_stdin_code` has replaced it."""
    stdin_filename: str | None = None
    diff: str | None = None
    """A revision: only lines that changed since count."""
    stdin_source: "SourceFile | None" = None
    """The code that came through stdin, under its name."""


class CheckRequest(CodeRequest, frozen=True, kw_only=True):
    """`check`, and the examination of `report`."""

    configurable: "CommandLineOptions"
    """Options that a configuration file may set as well."""
    record: str | None = None
    """--from: the report to judge in place of this machine."""
    against: str | None = None
    verify_files: bool = False
    measured: tuple[str, ...] = ()
    measure: str | None = None
    """The loader to run, ``file.py:callable``."""
    budget: float | None = None
    """Seconds for `measure`; None: `pipedoctor.tune.DEFAULT_BUDGET`."""
    step_seconds: float | None = None
    step: str | None = None
    pid: int | None = None
    write_baseline: bool = False
    wait: float = 0.0
    """Seconds to wait at most for a quiet machine, before `measure`."""
    allow_busy: bool = False
    statistics: bool = False
    fix: bool = False
    """Apply what is marked, after the report."""
    yes: bool = False
    output: str | None = None
    fleet_dir: str | None = None
    """The folder or URL for this node's report."""
    probe: bool = False
    config: str | None = None
    """The configuration file to read; None: the nearest one."""
    no_config: bool = False


class ReportRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`report`: what is examined, and what becomes of it."""

    examination: CheckRequest
    form: str | None = None
    """None: what `output` ends with."""
    everything: bool = False
    """--all: every format in one .zip."""
    output: str | None = None
    force: bool = False
    copy: bool = False
    no_redact: bool = False
    no_keep: bool = False
    history: bool = False
    unredact: str | None = None
    issue_template: bool = False


class ExplainRequest(OutputRequest, frozen=True, kw_only=True):
    """`explain`."""

    target: str | None = None
    """A log, ``-`` for stdin, or the name or code of a check."""
    record: str | None = None
    """--from: the report of the machine on which it happened."""
    all_places: bool = False
    workers: int | None = None
    batch_bytes: int | None = None
    prefetch: int | None = None
    ranks: int | None = None
    data: tuple[str, ...] = ()
    pid: int | None = None
    python: str | None = None
    env: str | None = None
    deadline: float | None = None
    """Seconds for the whole command; None: as it is by default."""

    @property
    def job(self) -> "JobRequest":
        """The job whose log it is, as far as it was described."""
        from pipedoctor.cli.request.job_request import JobRequest

        names = JobRequest.__struct_fields__
        return JobRequest(**{name: getattr(self, name) for name in names})


class DiffRequest(OutputRequest, frozen=True, kw_only=True):
    """`diff`."""

    sides: tuple[str, ...] = ()
    since: str | None = None
    select: tuple[str, ...] = ()
    """Sections of a report, with commas or one by one."""
    ignore: tuple[str, ...] = ()
    quick: bool = False
    python: str | None = None
    env: str | None = None
    deadline: float
    """Seconds for the examination of this machine."""
    quiet: bool = False
    verbose: bool = False


class TargetRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A loader of the user's that is run, and within which bounds."""

    target: str
    """``file.py:callable`` or ``module:callable``."""
    batch_size: int | None = None
    step_seconds: float | None = None
    """How long the consumer takes for a batch."""
    step: str | None = None
    """The consumer itself, ``module:callable``."""
    budget: float
    """Seconds for everything."""
    max_workers: int | None = None
    memory: int | None = None
    """Bytes for workers and batches of one rank."""
    ranks: int = 1


class TargetCommandRequest(TargetRequest, frozen=True, kw_only=True):
    """What `tune` and `whatif` have in common; a struct has one base, so output again."""

    form: str = "text"
    output: str | None = None
    no_redact: bool = False
    wait: float = 0.0
    """Seconds to wait at most for a quiet machine."""
    allow_busy: bool = False


class TuneRequest(TargetCommandRequest, frozen=True, kw_only=True):
    """`tune`."""

    no_color: bool = False
    html: str | None = None
    """The file of the page with the map."""
    apply: bool = False
    yes: bool = False


class WhatIfRequest(TargetCommandRequest, frozen=True, kw_only=True):
    """`whatif`: None leaves an argument of the loader as it is."""

    workers: int | None = None
    prefetch: int | None = None
    in_order: bool | None = None
    persistent: bool | None = None
    pin_memory: bool | None = None
    batch: int | None = None
    cores: float | None = None
    storage: float = 1.0
    """How many times as fast."""
    dtype: str | None = None
    one_thread: bool = False
    start_method: str | None = None


class FixCommandRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`fix`: one of limits, named checks, code, an undo and the history."""

    names: tuple[str, ...] = ()
    """Checks by name or code, files and folders."""
    shm: str | None = None
    nofile: int | None = None
    code: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    stdin_filename: str | None = None
    diff: str | None = None
    unsafe: bool = False
    measure: str | None = None
    prove: bool = False
    budget: float
    step_seconds: float | None = None
    persist: bool = False
    dry_run: bool = False
    yes: bool = False
    force: bool = False
    undo: str | None = None
    """The id of a fix, or `NEWEST_FIX`."""
    history: bool = False
    form: str = "text"
    pid: int | None = None
    data: tuple[str, ...] = ()
    workers: int | None = None
    prefetch: int | None = None
    batch_bytes: int | None = None
    ranks: int | None = None
    python: str | None = None
    env: str | None = None


def drop_defaults(context: click.Context, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that the user wrote, without the defaults of click."""
    source = context.get_parameter_source
    return {n: v for n, v in parameters.items() if source(n) is not ParameterSource.DEFAULT}


def build_check_request(parameters: Mapping[str, Any]) -> CheckRequest:
    """The request of `check` from what the user wrote, by the names of parameters."""
    from pipedoctor.cli.request.check_options import CheckOptions, CommandLineOptions

    names = frozenset(CheckOptions.__struct_fields__)
    configurable = {name: value for name, value in parameters.items() if name in names}
    own = {name: value for name, value in parameters.items() if name not in names}
    return CheckRequest(configurable=CommandLineOptions.from_values(**configurable), **own)


def build_report_request(parameters: Mapping[str, Any]) -> ReportRequest:
    """The request of `report`, whose other options are those of `check`."""
    names = frozenset(ReportRequest.__struct_fields__)
    own = {name: value for name, value in parameters.items() if name in names}
    checked = {name: value for name, value in parameters.items() if name not in names}
    return ReportRequest(examination=build_check_request(checked), **own)
