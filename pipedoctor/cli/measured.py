"""Files of `bench --format json` that `check --measured` takes into account."""

from collections.abc import Iterable

import click

from pipedoctor.collect import files
from pipedoctor.facts import Fact, Malformed, Unreadable


def measured(paths: Iterable[str]) -> tuple[Fact, ...]:
    """What was measured, the last of each kind; raises UsageError."""
    found: dict[str, Fact] = {}
    for path in paths:
        from pipedoctor.bench import document

        try:
            facts = document.read(files.load(path, document.LARGEST + 1))
        except Unreadable as error:
            message = f"--measured {path}: cannot be read: {error}"
            raise click.UsageError(message) from None
        except Malformed as error:
            message = f"--measured {path}: {error}"
            raise click.UsageError(message) from None
        found |= {fact.section: fact for fact in facts}
    return tuple(found.values())
