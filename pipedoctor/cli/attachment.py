"""What `pipedoctor report` does: write an attachment, list them, read them back."""

from collections.abc import Mapping
from typing import Any

import click

from pipedoctor.cli import INTERRUPTED, destination, kept, output
from pipedoctor.collect import files
from pipedoctor.facts import Malformed, Unreadable

WHOLE = (
    "All of it is in the .zip of `pipedoctor report --all`, which"
    " `pipedoctor check --from` judges again."
)
BESIDE = (
    "All of it is in report.json and report.html beside this file;"
    " `pipedoctor check --from report.json` judges it again."
)
_ALONE = ("copy", "history", "unredact", "issue_template")


def serve(typed: Mapping[str, Any]) -> int:
    """Do what was typed; the exit code."""
    asked = [name for name in _ALONE if typed.get(name)]
    if len(asked) > 1:
        first, second = (f"--{name.replace('_', '-')}" for name in asked[:2])
        message = f"{first} and {second} are two things: ask for one"
        raise click.UsageError(message)
    _refuse_a_file_for_copy(typed)
    if typed.get("issue_template"):
        from pipedoctor.report import issue_form

        output.write(issue_form.TEXT, typed.get("output"))
    elif typed.get("history"):
        kept.show(typed.get("form"))
    elif typed.get("unredact"):
        _unredact(typed)
    else:
        return _attach(typed)
    return 0


def _refuse_a_file_for_copy(typed: Mapping[str, Any]) -> None:
    file = "-o" if typed.get("output") else "--all" if typed.get("everything") else ""
    if typed.get("copy") and file:
        message = f"--copy prints and {file} writes a file: ask for one"
        raise click.UsageError(message)


def _attach(typed: Mapping[str, Any]) -> int:
    form = destination.form(typed)
    if not typed.get("copy"):
        destination.refuse_standing(typed)
    report, json, trouble, stopped = _examined(typed)
    if typed.get("copy"):
        from pipedoctor.report import ticket

        output.write(ticket.render(report, WHOLE), None)
    else:
        redacted = not typed.get("no_redact")
        data = _written(report, json, form, redacted=redacted)
        name = destination.put(typed, data, form)
        if name:
            _name(name)
        _say(report, redacted=redacted)
    keeps = not any(typed.get(name) for name in ("no_redact", "no_keep", "record"))
    if trouble:
        kept.forgo(trouble, keeps=keeps)
    elif keeps:
        kept.keep(report, json)
    return INTERRUPTED if stopped else 0


def _name(name: str) -> None:
    """Byte by byte for a script, harmless for a terminal."""
    from pipedoctor.report.words import clean

    shown = clean(name) if output.on_terminal(None) else name
    output.write(f"{shown}\n".encode(errors="surrogateescape"), None)


def _examined(typed: Mapping[str, Any]) -> tuple[Any, bytes, str, bool]:
    """
    The report, its JSON, and why the book of aliases could not be used, if so.

    Whether Ctrl-C has ended the measuring comes last.
    """
    from pipedoctor.book import Book
    from pipedoctor.cli import examination
    from pipedoctor.redact import Level, Redactor
    from pipedoctor.report import json

    book = None
    if typed.get("no_redact"):
        redactor = Redactor(Level.NOTHING)
    else:
        # Aliases in a record of another machine are those of another book.
        book = None if typed.get("record") else Book()
        redactor = Redactor(Level.PUBLIC, memory=book)
    report, _, stopped = examination.conduct(typed, redactor)
    examination.mention_broken(report)
    return report, json.render(report), book.trouble if book else "", stopped


def _written(report: Any, json: bytes, form: str, *, redacted: bool) -> bytes:
    from pipedoctor.report import ticket

    if form == "json":
        return json
    if form == "markdown":
        return ticket.render(report, WHOLE).encode()
    from pipedoctor.report import html

    page = html.render(report).encode()
    if form == "html":
        return page
    from pipedoctor import bundle

    parts = {
        "report.md": ticket.render(report, BESIDE).encode(),
        bundle.REPORT: json,
        "report.html": page,
    }
    return bundle.pack(report, parts, redacted=redacted)


def _say(report: Any, *, redacted: bool) -> None:
    """What was found, and what is still to do, for whoever watches."""
    from pipedoctor.report import words

    told = words.verdict(report)
    advice = "names and secrets are replaced" if redacted else "NOTHING is replaced"
    click.echo(
        f"{told[:1].upper()}{told[1:]}. Read it before you attach it: {advice}.",
        err=True,
    )


def _unredact(typed: Mapping[str, Any]) -> None:
    """Put names back into a file that this machine redacted; raises UsageError."""
    from pipedoctor import book, bundle
    from pipedoctor.report.json import LARGEST

    source: str = typed["unredact"]
    try:
        data = files.load(source, LARGEST + 1)
        if len(data) > LARGEST:
            message = f"larger than {LARGEST >> 20} MiB"
            raise Malformed(message)  # noqa: TRY301  (said like the others)
        if data.startswith(bundle.MAGIC):
            inside = bundle.contents(data).items()
            real = bundle.repack({name: book.restore(file) for name, file in inside})
        else:
            real = book.restore(data)
    except (Unreadable, Malformed) as error:
        message = f"--unredact {source}: {error}"
        raise click.UsageError(message) from None
    if real == data:
        click.echo("pipedoctor: no alias of this machine is in it", err=True)
    destination.refuse_standing(typed)
    if data.startswith(bundle.MAGIC) and output.on_terminal(typed.get("output")):
        message = f"--unredact {source}: a .zip is not for a terminal: say -o FILE"
        raise click.UsageError(message)
    output.write(real, typed.get("output"))
