"""The file that records an environment, as `--against` names it."""

from pathlib import Path

import click

from pipedoctor.collect import files
from pipedoctor.facts import Unreadable


def record_of(path: str) -> tuple[str, str, bytes]:
    """The record to compare with; raises UsageError where nobody can read it."""
    from pipedoctor.collect import records

    kind = records.kind_of(Path(path).name)
    if kind not in records.READABLE:
        message = (
            f"--against {path}: expected requirements*.txt, environment.yml,"
            " pylock.toml or uv.lock"
        )
        raise click.UsageError(message)
    try:
        data = files.load(path, records.LARGEST + 1)
        if len(data) > records.LARGEST:
            reason = f"larger than {records.LARGEST >> 20} MiB"
            raise Unreadable(reason)  # noqa: TRY301  (said like the others)
        files.patiently(path, lambda _: len(records.parse(kind, data)))
    except Unreadable as error:
        message = f"--against {path}: cannot be read: {error}"
        raise click.UsageError(message) from None
    return path, kind, data
