"""Files of `bench --format json` that `check --measured` takes into account."""

from collections.abc import Iterable

import click

from pipedoctor.facts import Fact, MalformedRecordError, UnreadableError
from pipedoctor.runtime import files


def read_measurements(paths: Iterable[str]) -> tuple[Fact, ...]:
    """What was measured, the last of each kind; raises UsageError."""
    found: dict[str, Fact] = {}
    for path in paths:
        from pipedoctor.bench import document

        try:
            facts = document.read_measurements(files.load_file(path, document.MAX_BYTES + 1))
        except UnreadableError as error:
            message = f"--measured {path}: cannot be read: {error}"
            raise click.UsageError(message) from None
        except MalformedRecordError as error:
            message = f"--measured {path}: {error}"
            raise click.UsageError(message) from None
        found |= {fact.section: fact for fact in facts}
    return tuple(found.values())
