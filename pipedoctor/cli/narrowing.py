"""Which findings in code count, from what was typed."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click

from pipedoctor.collect import files
from pipedoctor.config import Config
from pipedoctor.facts import Malformed, Unreadable
from pipedoctor.narrow.baseline import Baseline
from pipedoctor.narrow.narrow import Changed, Narrowing
from pipedoctor.report.model import Report

_MISSING = "No such file or directory"


def narrowing(typed: Mapping[str, Any], config: Config) -> Narrowing:
    """Read the baseline and ask git; raises UsageError in one line."""
    known = None
    if config.options.baseline is not None:
        known = _known(config.options.baseline, typed)
    elif typed.get("write_baseline"):
        message = "--write-baseline writes the file that --baseline names: give one"
        raise click.UsageError(message)
    if typed.get("record") and typed.get("diff"):
        message = "--from judges a record: --diff names something of this machine"
        raise click.UsageError(message)
    lines = changed(typed, gitignore=not config.options.no_gitignore)
    return Narrowing(rules=config.rules, baseline=known, changed=lines)


def _known(given: str, typed: Mapping[str, Any]) -> Baseline:
    from pipedoctor.narrow import baseline

    try:
        path, here = _shown(given), os.getcwd()  # noqa: PTH109
    except OSError as error:
        message = f"--baseline {given}: the working directory: {files.why(error)}"
        raise click.UsageError(message) from None
    code = [
        *typed.get("paths", ()),
        *([typed["stdin"].path] if "stdin" in typed else []),
    ]
    roots = tuple(os.path.normpath(os.path.join(here, one)) for one in code)  # noqa: PTH118
    data = _baseline(path, missing_is_empty=bool(typed.get("write_baseline")))
    try:
        found = baseline.read(data) if data else ()
    except Malformed as error:
        message = f"--baseline {path}: {error}"
        raise click.UsageError(message) from None
    return Baseline(
        path=path,
        findings=found,
        ours=data == baseline.write(found),
        roots=None if typed.get("record") else roots,
    )


def _shown(path: str) -> str:
    """As places are shown: from the working directory, where it lies below that."""
    full, here = os.path.abspath(path), os.getcwd()  # noqa: PTH100, PTH109
    below = full.startswith(here.rstrip("/") + "/")
    return os.path.relpath(full, here) if below else path


def rewrite(narrowing: Narrowing, report: Report) -> Narrowing:
    """Write down what a report found without a baseline; what it then is."""
    from msgspec.structs import replace

    from pipedoctor.narrow import baseline

    old = narrowing.baseline
    assert old is not None  # noqa: S101  (else `narrowing` refused)
    found = baseline.of(report, old.path)
    kept = baseline.kept(old, report)
    everything = tuple(sorted([*found, *kept]))
    try:
        files.store(old.path, baseline.write(everything))
    except Unreadable as error:
        message = f"--baseline {old.path}: cannot be written: {error}"
        raise click.UsageError(message) from None
    from pipedoctor.report.words import clean

    noun = "finding" if len(everything) == 1 else "findings"
    click.echo(f"pipedoctor: {len(everything)} {noun} in {clean(old.path)}", err=True)
    return replace(narrowing, baseline=replace(old, findings=everything, ours=True))


def _baseline(path: str, *, missing_is_empty: bool) -> bytes:
    from pipedoctor.narrow.baseline import LARGEST

    try:
        data = files.load(path, LARGEST + 1)
    except Unreadable as error:
        if missing_is_empty and str(error) == _MISSING:
            return b""
        hint = "; --write-baseline makes it" if str(error) == _MISSING else ""
        message = f"--baseline {path}: cannot be read: {error}{hint}"
        raise click.UsageError(message) from None
    if len(data) > LARGEST:
        message = f"--baseline {path}: larger than {LARGEST >> 20} MiB"
        raise click.UsageError(message)
    return data


def changed(typed: Mapping[str, Any], *, gitignore: bool = True) -> Changed | None:
    """What --diff names, if it was typed; raises UsageError in one line."""
    code: Sequence[str] = typed.get("paths", ())
    since, given = typed.get("diff"), typed.get("stdin")
    if since is None:
        return None
    if not code and given is None:
        message = "--diff tells changed lines of code: name some PATHS"
        raise click.UsageError(message)
    from pipedoctor.collect.changes import PATIENCE, changes

    try:
        found: dict[str, list[int]] = files.patiently(
            "git",
            lambda announce: changes(
                code, since, announce, gitignore=gitignore, typed=given
            ),
            patience=2 * PATIENCE,
        )
    except Unreadable as error:
        message = f"--diff {since}: {error}"
        raise click.UsageError(message) from None
    lines = {p: None if n == [0] else frozenset(n) for p, n in found.items()}
    return Changed(since=since, files=lines)
