"""What the commands of `bench` share: from what was typed to what is written."""

import time
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli import INTERRUPTED_CODE
from pipedoctor.cli.actions import privacy
from pipedoctor.cli.request.requests_bench import (
    BenchRequest,
    DecodeBenchRequest,
    DiskBenchRequest,
    EnvironmentBenchRequest,
    LoaderBenchRequest,
    TransferBenchRequest,
)
from pipedoctor.cli.terminal import output
from pipedoctor.cli.terminal.progress_bar import show_bar
from pipedoctor.collect.environment.prefix import EnvironmentChoice, find_prefix
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Facts, UnreadableError
from pipedoctor.facts.bench import NO_TIME_LEFT

if TYPE_CHECKING:
    from pipedoctor.bench.result_table import ResultSheet
    from pipedoctor.privacy.redactor import Redactor

NOT_MEASURED_CODE = 3


def run_decode(request: DecodeBenchRequest) -> int:
    """`bench decode`: the exit code; raises UsageError."""
    from pipedoctor.bench.decode import DecodeBench
    from pipedoctor.bench.decode_order import DecodeRequest
    from pipedoctor.bench.decode_text import build_sheet
    from pipedoctor.bench.images import generate_images, load_images
    from pipedoctor.facts.bench_decode import BenchDecode

    began, machine = time.monotonic(), Machine()
    executable = _find_executable(request, machine)
    try:
        found = load_images(request.images) if request.images else None
    except UnreadableError as error:
        raise click.UsageError(str(error)) from None
    try:
        with show_bar(request.budget) as tell:
            if found is None:
                tell("make images")
                found = generate_images(executable, machine.environ, request.size, request.budget)
            order = DecodeRequest(
                executable=executable,
                environ=machine.environ,
                images=found,
                budget=request.budget,
                machine=machine,
                report_progress=tell,
                begin_time=began,
            )
            fact = DecodeBench(order).run()
    except UnreadableError as error:
        return _report_failure("decode", str(error))
    facts = _make_redactor(request).redact_facts(Facts(fact))
    seen = facts.get(BenchDecode) or fact
    _write_result(facts, build_sheet(seen), request, seen.seconds)
    if fact.interrupted:
        return INTERRUPTED_CODE
    if any(path.rate for path in fact.paths):
        return 0
    return _report_failure("decode", explain_no_decode(fact))


def explain_no_decode(fact: Any) -> str:
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
        return next(reasons, NO_TIME_LEFT)
    return "no image decoding library is installed"


def _find_executable(request: EnvironmentBenchRequest, machine: Machine) -> str:
    if request.python and request.env:
        message = "--python and --env cannot be combined"
        raise click.UsageError(message)
    chosen = EnvironmentChoice(python=request.python or "", env=request.env or "")
    from pipedoctor.runtime import files

    try:
        return str(
            files.run_with_timeout(
                "the Python environment",
                lambda _: str(find_prefix(chosen, machine.environ).executable),
            )
        )
    except UnreadableError as error:
        raise click.UsageError(str(error)) from None


def _make_redactor(request: BenchRequest) -> "Redactor":
    return privacy.make_redactor(request.output, no_redact=request.no_redact)


def _write_result(facts: Facts, page: "ResultSheet", request: BenchRequest, seconds: float) -> None:
    target = request.output
    if request.form == "json":
        from pipedoctor.bench import document

        output.write_output(
            document.render(facts, conclusions=page.conclusions, seconds=seconds),
            target,
        )
    elif request.form == "markdown":
        from pipedoctor.bench import markdown

        output.write_output(markdown.render(page), target)
    else:
        from pipedoctor.bench import text

        message_text = text.render(
            page,
            width=output.get_width(),
            color=output.has_colors(target, no_color=request.no_color),
            ascii_only=output.is_ascii_only(target),
        )
        output.write_output(message_text, target)


def _report_failure(benchmark: str, why: str) -> int:
    from pipedoctor.report.sentences import clean_text

    message_text = clean_text(privacy.redact_message(why))
    click.echo(f"pipedoctor bench {benchmark}: could not measure: {message_text}", err=True)
    return NOT_MEASURED_CODE


def run_loader(request: LoaderBenchRequest) -> int:
    """`bench loader`: the exit code; raises UsageError."""
    from pipedoctor.tune.compare.stages import build_sheet, measure_stages
    from pipedoctor.tune.search.session import TargetLostError, TargetRefusedError
    from pipedoctor.tune.search.tuning import TuningRequest

    try:
        with show_bar(request.budget) as tell:
            order = TuningRequest(
                target=request.target,
                batch_size=request.batch_size,
                step=request.step or "",
                budget=request.budget,
                watch=tell,
            )
            found = measure_stages(order)
    except TargetRefusedError as reason:
        raise click.UsageError(privacy.redact_message(reason)) from None
    except TargetLostError as reason:
        return _report_failure("loader", f"{request.target}: {reason}")
    except KeyboardInterrupt:
        return INTERRUPTED_CODE
    facts = _make_redactor(request).redact_facts(Facts(*found.facts))
    _write_result(facts, build_sheet(found), request, found.seconds)
    if found.interrupted:
        return INTERRUPTED_CODE
    return _report_failure("loader", found.no_result_reason) if found.no_result_reason else 0


def run_transfer(request: TransferBenchRequest) -> int:
    """`bench transfer`: the exit code; raises UsageError."""
    from pipedoctor.bench.transfer import measure_transfer
    from pipedoctor.bench.transfer_text import build_sheet
    from pipedoctor.facts.bench_transfer import BenchTransfer

    machine = Machine()
    executable = _find_executable(request, machine)
    try:
        with show_bar(request.budget) as tell:
            tell("copy to the GPU")
            fact = measure_transfer(
                executable,
                machine.environ,
                batch_bytes=request.batch_bytes,
                budget=request.budget,
                machine=machine,
            )
    except UnreadableError as error:
        return _report_failure("transfer", str(error))
    except KeyboardInterrupt:
        return INTERRUPTED_CODE
    facts = _make_redactor(request).redact_facts(Facts(fact))
    seen = facts.get(BenchTransfer) or fact
    _write_result(facts, build_sheet(seen), request, seen.seconds)
    return INTERRUPTED_CODE if fact.interrupted else 0


def run_disk(request: DiskBenchRequest) -> int:
    """`bench disk`: the exit code; raises UsageError."""
    from pipedoctor.bench.disk import DiskBench
    from pipedoctor.bench.disk_text import build_sheet
    from pipedoctor.facts.bench_disk import BenchDisk

    with show_bar(request.budget) as tell:
        bench = DiskBench(request.path, budget=request.budget, report_progress=tell)
        try:
            fact = bench.run()
        except UnreadableError as error:
            message = f"{request.path}: {error}"
            raise click.UsageError(message) from None
    facts = _make_redactor(request).redact_facts(Facts(fact))
    seen = facts.get(BenchDisk) or fact
    _write_result(facts, build_sheet(seen), request, seen.seconds)
    if fact.interrupted:
        return INTERRUPTED_CODE
    if any(reading.rate for reading in fact.readings):
        return 0
    hang = fact.dataset.hang
    why = next((r.unknown for r in fact.readings if r.unknown), "nothing was read")
    return _report_failure("disk", f"{hang.doing} does not answer" if hang else why)
