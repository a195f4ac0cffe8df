"""What the commands of `bench` share: from what was typed to what is written."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli import INTERRUPTED, output, privacy
from pipedoctor.cli.bar import bar
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.prefix import Chosen, find
from pipedoctor.facts import Facts, Unreadable

if TYPE_CHECKING:
    from pipedoctor.bench.sheet import Sheet
    from pipedoctor.redact import Redactor

NOT_MEASURED = 3
Given = Mapping[str, Any]


def decode(images: tuple[str, ...], given: Given) -> int:
    """`bench decode`: the exit code; raises UsageError."""
    from pipedoctor.bench import images as pictures
    from pipedoctor.bench.decode import Bench
    from pipedoctor.bench.decode_order import Order
    from pipedoctor.bench.decode_words import sheet
    from pipedoctor.facts.bench_decode import BenchDecode

    began, machine = time.monotonic(), Machine()
    executable = _executable(given, machine)
    try:
        found = pictures.load(images) if images else None
    except Unreadable as error:
        raise click.UsageError(str(error)) from None
    try:
        with bar(given["budget"]) as tell:
            if found is None:
                tell("make images")
                found = pictures.generate(
                    executable, machine.environ, given["size"], given["budget"]
                )
            order = Order(
                executable=executable,
                environ=machine.environ,
                found=found,
                budget=given["budget"],
                machine=machine,
                tell=tell,
                began=began,
            )
            fact = Bench(order).run()
    except Unreadable as error:
        return _refuse("decode", str(error))
    facts = _redactor(given).facts(Facts(fact))
    seen = facts.get(BenchDecode) or fact
    _write(facts, sheet(seen), given, seen.seconds)
    if fact.interrupted:
        return INTERRUPTED
    if any(path.rate for path in fact.paths):
        return 0
    return _refuse("decode", why_not(fact))


def why_not(fact: Any) -> str:
    """Why `bench decode` has no number at all, in a line."""
    if fact.quality.why_refused:
        return str(fact.quality.why_refused)
    if fact.images.unreadable and not fact.images.count:
        first = fact.images.unreadable[0]
        return f"no image could be decoded; {first.path}: {first.reason}"
    if fact.broken:
        library, reason = next(iter(fact.broken.items()))
        return f"{library}: {reason}"
    if fact.paths:
        reasons = (path.unknown for path in fact.paths if path.unknown)
        return next(reasons, "no time left in the budget")
    return "no library that decodes images is installed"


def _executable(given: Given, machine: Machine) -> str:
    if given["python"] and given["env"]:
        message = "--python and --env both name the environment: give one of them"
        raise click.UsageError(message)
    chosen = Chosen(python=given["python"] or "", env=given["env"] or "")
    from pipedoctor.collect import files

    try:
        return str(
            files.patiently(
                "the Python environment",
                lambda _: str(find(chosen, machine.environ).executable),
            )
        )
    except Unreadable as error:
        raise click.UsageError(str(error)) from None


def _redactor(given: Given) -> "Redactor":
    return privacy.redactor(given["output"], no_redact=given["no_redact"])


def _write(facts: Facts, page: "Sheet", given: Given, seconds: float) -> None:
    target = given["output"]
    if given["form"] == "json":
        from pipedoctor.bench import document

        output.write(document.render(facts, said=page.said, seconds=seconds), target)
    elif given["form"] == "markdown":
        from pipedoctor.bench import markdown

        output.write(markdown.render(page), target)
    else:
        from pipedoctor.bench import text

        said = text.render(
            page,
            width=output.width(),
            colour=output.colours(target, no_color=given["no_color"]),
            ascii_only=output.ascii_only(target),
        )
        output.write(said, target)


def _refuse(what: str, why: str) -> int:
    from pipedoctor.report.words import clean

    said = clean(privacy.overheard(why))
    click.echo(f"pipedoctor bench {what}: could not measure: {said}", err=True)
    return NOT_MEASURED


def loader(target: str, given: Given) -> int:
    """`bench loader`: the exit code; raises UsageError."""
    from pipedoctor.tune.session import Lost, Refused
    from pipedoctor.tune.stages import measure, sheet
    from pipedoctor.tune.tuning import Order

    try:
        with bar(given["budget"]) as tell:
            order = Order(
                target=target,
                batch_size=given["batch_size"],
                step=given["step"] or "",
                budget=given["budget"],
                watch=tell,
            )
            found = measure(order)
    except Refused as reason:
        raise click.UsageError(privacy.overheard(reason)) from None
    except Lost as reason:
        return _refuse("loader", f"{target}: {reason}")
    except KeyboardInterrupt:
        return INTERRUPTED
    facts = _redactor(given).facts(Facts(*found.facts))
    _write(facts, sheet(found), given, found.seconds)
    if found.interrupted:
        return INTERRUPTED
    return _refuse("loader", found.unmeasured) if found.unmeasured else 0


def transfer(given: Given) -> int:
    """`bench transfer`: the exit code; raises UsageError."""
    from pipedoctor.bench.transfer import measure
    from pipedoctor.bench.transfer_words import sheet
    from pipedoctor.facts.bench_transfer import BenchTransfer

    machine = Machine()
    executable = _executable(given, machine)
    try:
        with bar(given["budget"]) as tell:
            tell("copy to the GPU")
            fact = measure(
                executable,
                machine.environ,
                batch_bytes=given["batch_bytes"],
                budget=given["budget"],
                machine=machine,
            )
    except Unreadable as error:
        return _refuse("transfer", str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    facts = _redactor(given).facts(Facts(fact))
    seen = facts.get(BenchTransfer) or fact
    _write(facts, sheet(seen), given, seen.seconds)
    return INTERRUPTED if fact.interrupted else 0


def disk(path: str, given: Given) -> int:
    """`bench disk`: the exit code; raises UsageError."""
    from pipedoctor.bench.disk import Bench
    from pipedoctor.bench.disk_words import sheet
    from pipedoctor.facts.bench_disk import BenchDisk

    with bar(given["budget"]) as tell:
        bench = Bench(path, budget=given["budget"], tell=tell)
        try:
            fact = bench.run()
        except Unreadable as error:
            message = f"{path}: {error}"
            raise click.UsageError(message) from None
    facts = _redactor(given).facts(Facts(fact))
    seen = facts.get(BenchDisk) or fact
    _write(facts, sheet(seen), given, seen.seconds)
    if fact.interrupted:
        return INTERRUPTED
    if any(reading.rate for reading in fact.readings):
        return 0
    hang = fact.dataset.hang
    why = next((r.unknown for r in fact.readings if r.unknown), "nothing was read")
    return _refuse("disk", f"{hang.doing} does not come back" if hang else why)
