"""`pipedoctor fix --code`: edits of files, or of what comes through stdin."""

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli import stdin
from pipedoctor.cli.curing import JOB, examination, plain_order

if TYPE_CHECKING:
    from pipedoctor.fix.code.apply import Work
    from pipedoctor.fix.code.ground import Ground
    from pipedoctor.fix.counter import Counter
    from pipedoctor.fix.named import Examination


def edit(counter: "Counter", paths: tuple[str, ...], typed: Mapping[str, Any]) -> int:
    """Edit what PATHS name; gives the exit code. Raises UsageError."""
    from pipedoctor.catalogue import installed
    from pipedoctor.cli.narrowing import changed
    from pipedoctor.cli.proving import clocked
    from pipedoctor.facts import Unreadable
    from pipedoctor.fix.code.apply import apply, stream
    from pipedoctor.fix.code.ground import Ground
    from pipedoctor.source.parse import NotPythonError

    read = stdin.taken({**typed, "paths": paths})
    if "stdin" in read and (read["paths"] or typed["measure"]):
        message = "`-` stands alone: code from stdin goes to stdout"
        raise click.UsageError(message)
    wishes = {name: typed[name] for name in ("select", "ignore") if typed[name]}
    found = examination(installed(), {n: typed[n] for n in JOB} | wishes)
    lines = changed(read, gitignore=found.inquiry.reading.gitignore)
    with contextlib.ExitStack() as stack:
        clock, seen = clocked(stack, typed, paths)
        try:
            facts = found.facts().plus(*seen)
            if "stdin" in read:
                ground = Ground.typed(read["stdin"], found, facts)
                ground.changed = lines
                return stream(counter, _work(ground, found, typed))
            ground = Ground.read(paths, found, facts)
            ground.changed = lines
        except (Unreadable, NotPythonError) as error:
            raise click.UsageError(str(error)) from None
        work = _work(
            ground, found, typed, **({"measured": clock.fault} if clock else {})
        )
        return apply(counter, plain_order(), work)


def _work(
    ground: "Ground", found: "Examination", typed: Mapping[str, Any], **more: Any
) -> "Work":
    from pipedoctor.fix.code.apply import Work

    return Work(
        ground=ground,
        chosen=found.standards.chosen,
        unsafe=typed["unsafe"],
        explicit=bool(typed["select"]),
        **more,
    )
