"""What `pipedoctor fix` is asked for, as an order: the job, the checks, the sizes."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pipedoctor.cli.request.check_options import CommandLineOptions
    from pipedoctor.cli.request.fix_targets import FixTargets
    from pipedoctor.cli.request.requests import FixCommandRequest
    from pipedoctor.engine.catalogue import Catalogue
    from pipedoctor.fix.limits.size_argument import SizeArgument
    from pipedoctor.fix.request.named_checks import Examination
    from pipedoctor.fix.request.request import FixRequest


def build_fix_request(request: "FixCommandRequest", targets: "FixTargets") -> "FixRequest":
    """What checks of machines, --shm and --nofile ask for; raises UsageError."""
    from pipedoctor.engine.catalogue import get_catalogue
    from pipedoctor.fix.request.request import FixRequest

    catalogue = get_catalogue()
    pid = request.pid
    checks = targets.checks
    judged_pid = pid if checks else None
    return FixRequest(
        examination=build_examination(catalogue, request, judged_pid, targets.files),
        shm=_parse_size(request.shm) if request.shm is not None else None,
        nofile=request.nofile,
        checks=checks,
        pid=pid,
        lasting=request.persist,
        force=request.force,
    )


def build_empty_request() -> "FixRequest":
    """An undo asks for nothing: no job, and no configuration that could be broken."""
    from pipedoctor.collect.plan import CollectionRequest
    from pipedoctor.engine.catalogue import get_catalogue
    from pipedoctor.fix.request.named_checks import Examination
    from pipedoctor.fix.request.request import FixRequest

    inquiry = CollectionRequest(quick=True)
    return FixRequest(examination=Examination(catalogue=get_catalogue(), inquiry=inquiry))


def build_examination(
    catalogue: "Catalogue",
    request: "FixCommandRequest",
    pid: int | None = None,
    paths: tuple[str, ...] = (),
) -> "Examination":
    """Judge as `check --quick` would: the same job and code, the same configuration."""
    from pipedoctor.cli.request.check_request import build_inquiry
    from pipedoctor.cli.request.config import load_config
    from pipedoctor.cli.request.config_files import ConfigError
    from pipedoctor.engine.selection import UnknownNameError, select_checks
    from pipedoctor.fix.request.named_checks import Examination
    from pipedoctor.pipeline import CheckPolicy
    from pipedoctor.suppress.suppress import FindingFilter

    job = _list_job_options(request)
    try:
        config = load_config(job, lambda: catalogue)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    try:
        chosen = select_checks(catalogue, config.options.select, config.options.ignore)
    except UnknownNameError as error:
        raise click.UsageError(str(error)) from None
    return Examination(
        catalogue=catalogue,
        inquiry=build_inquiry(config.options, paths, pid),
        report_dead_path=lambda text: click.echo(f"pipedoctor fix: {text}", err=True),
        policy=CheckPolicy(
            check_filter=chosen,
            settings=config.settings,
            accepted=config.accepted,
            finding_filter=FindingFilter(rules=config.file_ignores),
        ),
    )


def _list_job_options(request: "FixCommandRequest") -> "CommandLineOptions":
    """What is known of the job, as `check --quick` would have it."""
    from pipedoctor.cli.request.check_options import CommandLineOptions

    job = {
        "data": request.data,
        "workers": request.workers,
        "prefetch": request.prefetch,
        "batch_bytes": request.batch_bytes,
        "ranks": request.ranks,
        "python": request.python,
        "env": request.env,
        "select": request.select,
        "ignore": request.ignore,
    }
    written = {name: value for name, value in job.items() if value not in {None, ()}}
    return CommandLineOptions.from_values(**written, quick=True)


def _parse_size(text: str) -> "SizeArgument":
    from pipedoctor.fix.limits.size_argument import parse_size_argument

    try:
        return parse_size_argument(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--shm") from None
