"""Which findings in code count, from what was typed."""

import os

import click

from pipedoctor.cli.request.config import Config
from pipedoctor.cli.request.requests import CheckRequest, CodeRequest
from pipedoctor.facts import MalformedRecordError, UnreadableError
from pipedoctor.report.model import Report
from pipedoctor.runtime import files
from pipedoctor.suppress.baseline import Baseline
from pipedoctor.suppress.suppress import ChangedLines, FindingFilter

_GIT_SHARE = 0.7
"""Of the deadline: the code itself is still to be read."""
_MISSING_FILE = "No such file or directory"


def build_finding_filter(request: CheckRequest, config: Config) -> FindingFilter:
    """Read the baseline and ask git; raises UsageError in one line."""
    known = None
    if config.options.baseline is not None:
        known = _load_baseline(config.options.baseline, request)
    elif request.write_baseline:
        message = "--write-baseline requires --baseline FILE"
        raise click.UsageError(message)
    if request.record and request.diff:
        message = "--from judges a saved report: it cannot be combined with --diff"
        raise click.UsageError(message)
    lines = read_changed_lines(request, gitignore=not config.options.no_gitignore)
    return FindingFilter(rules=config.file_ignores, baseline=known, changed_lines=lines)


def _load_baseline(name: str, request: CheckRequest) -> Baseline:
    from pipedoctor.suppress import baseline

    try:
        path, here = _display_path(name), os.getcwd()  # noqa: PTH109
    except OSError as error:
        message = f"--baseline {name}: the working directory: {files.describe_error(error)}"
        raise click.UsageError(message) from None
    code = [*request.paths, *([request.stdin_source.path] if request.stdin_source else [])]
    roots = tuple(os.path.normpath(os.path.join(here, one)) for one in code)  # noqa: PTH118
    data = _read_baseline_file(path, missing_is_empty=request.write_baseline)
    try:
        found = baseline.parse_baseline(data) if data else ()
    except MalformedRecordError as error:
        message = f"--baseline {path}: {error}"
        raise click.UsageError(message) from None
    return Baseline(
        path=path,
        findings=found,
        is_canonical=data == baseline.format_baseline(found),
        roots=None if request.record else roots,
    )


def _display_path(path: str) -> str:
    """As places are shown: from the working directory, where it lies below that."""
    full, here = os.path.abspath(path), os.getcwd()  # noqa: PTH100, PTH109
    below = full.startswith(here.rstrip("/") + "/")
    return os.path.relpath(full, here) if below else path


def rewrite_baseline(finding_filter: FindingFilter, report: Report) -> FindingFilter:
    """Write all findings of a report to the baseline; returns the filter with it."""
    from msgspec.structs import replace

    from pipedoctor.suppress import baseline

    old = finding_filter.baseline
    assert old is not None  # noqa: S101  (else `build_finding_filter` refused)
    try:
        for entry in report.findings:
            if entry.location is not None:
                files.require_answer(entry.location.path.partition("#cell")[0])
                break  # others lie beside it
        found = baseline.collect_findings(report, old.path)
    except OSError as error:
        message = f"--baseline {old.path}: cannot be written: {files.describe_error(error)}"
        raise click.UsageError(message) from None
    kept = baseline.list_unjudged(old, report)
    everything = tuple(sorted([*found, *kept]))
    try:
        files.store_file(old.path, baseline.format_baseline(everything))
    except UnreadableError as error:
        message = f"--baseline {old.path}: cannot be written: {error}"
        raise click.UsageError(message) from None
    from pipedoctor.report.sentences import clean_text

    noun = "finding" if len(everything) == 1 else "findings"
    click.echo(f"pipedoctor: {len(everything)} {noun} in {clean_text(old.path)}", err=True)
    return replace(finding_filter, baseline=replace(old, findings=everything, is_canonical=True))


def _read_baseline_file(path: str, *, missing_is_empty: bool) -> bytes:
    from pipedoctor.suppress.baseline import MAX_BASELINE_BYTES

    try:
        data = files.load_regular_file(path, MAX_BASELINE_BYTES)
    except UnreadableError as error:
        if missing_is_empty and str(error) == _MISSING_FILE:
            return b""
        hint = "; --write-baseline creates it" if str(error) == _MISSING_FILE else ""
        message = f"--baseline {path}: cannot be read: {error}{hint}"
        raise click.UsageError(message) from None
    return data


def read_changed_lines(request: CodeRequest, *, gitignore: bool = True) -> ChangedLines | None:
    """What --diff names, if it was typed; raises UsageError in one line."""
    code, since, source = request.paths, request.diff, request.stdin_source
    if since is None:
        return None
    if not code and source is None:
        message = "--diff requires PATHS"
        raise click.UsageError(message)
    from pipedoctor.collect.code.git_changes import GIT_TIMEOUT, list_changed_lines

    try:
        found: dict[str, list[int]] = files.run_with_timeout(
            "git",
            lambda announce: list_changed_lines(
                code, since, announce, gitignore=gitignore, stdin_source=source
            ),
            timeout=2 * GIT_TIMEOUT,
            share=_GIT_SHARE,
        )
    except UnreadableError as error:
        message = f"--diff {since}: {error}"
        raise click.UsageError(message) from None
    lines = {p: None if n == [0] else frozenset(n) for p, n in found.items()}
    return ChangedLines(since=since, files=lines)
