"""`pipedoctor whatif TARGET`: predict another setting, or another machine."""

from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli import INTERRUPTED
from pipedoctor.cli.targeted import FAILED, lost, order, targeted
from pipedoctor.cli.types import CORES, SOME

if TYPE_CHECKING:
    from pipedoctor.tune.tuning import Attempt
    from pipedoctor.tune.whatif import Change


class Times(click.ParamType[float]):
    """How many times as fast: ``2x``, ``0.5x`` or ``2``."""

    name = "times"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read a factor, or say what one looks like."""
        try:
            factor = float(str(value).lower().removesuffix("x"))
        except ValueError:
            factor = 0.0
        if not 0.001 <= factor <= 1000:  # noqa: PLR2004  (nothing is so much faster)
            self.fail(f"{value!r} is not a factor: write 2x or 0.5x", param, ctx)
        return factor


@click.command("whatif")
@targeted
@click.option("--workers", type=click.IntRange(0, 128), help="num_workers.")
@click.option("--prefetch", type=click.IntRange(1, 1024), help="prefetch_factor.")
@click.option("--in-order/--no-in-order", default=None, help="in_order.")
@click.option("--persistent/--no-persistent", default=None, help="persistent_workers.")
@click.option("--pin-memory/--no-pin-memory", default=None, help="pin_memory.")
@click.option("--batch", type=SOME, help="batch_size.")
@click.option("--cores", type=CORES, help="CPUs of the machine.")
@click.option("--storage", type=Times(), default=1.0, help="How much faster: 2x.")
@click.option("--dtype", type=click.Choice(["uint8"]), help="Instead of floats.")
@click.option("--one-thread", is_flag=True, help="For numerical libraries of workers.")
@click.option(
    "--start-method",
    type=click.Choice(["fork", "forkserver", "spawn"]),
    help="How workers are started; it decides the time to the first batch.",
)
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    form: str,
    output: str | None,
    no_redact: bool,
    **typed: Any,
) -> None:
    """
    Predict what another setting, or another machine, would give for TARGET.

    The target is probed for some seconds, then the loader is simulated. What was
    never measured is marked as modelled.

    Exit codes: 0 done, 2 wrong usage or unreadable target, 3 could not measure.
    """
    from pipedoctor.cli.bar import bar
    from pipedoctor.cli.privacy import overheard
    from pipedoctor.tune import whatif
    from pipedoctor.tune.session import Lost, Refused
    from pipedoctor.tune.tuning import attempted

    change = _change(typed)
    target = typed["target"]
    try:
        with bar(typed["budget"]) as tell:
            done = attempted(
                order({**typed, "watch": tell}),
                lambda search: whatif.probe(search, change.start_method),
                before=lambda search, loaded: whatif.refuse(search, change, loaded),
            )
    except Refused as reason:
        raise click.UsageError(overheard(reason)) from None
    except Lost as reason:
        lost(context, target, reason)
    except KeyboardInterrupt:
        context.exit(INTERRUPTED)
    if why := _unknown(done):
        lost(context, target, why, INTERRUPTED if done.interrupted else FAILED)
    found = _imagined(done, change, output, no_redact=no_redact)
    _show(found, form, output, own_batches=done.loaded["own_batches"])
    context.exit(INTERRUPTED if done.interrupted else 0)


def _show(
    found: dict[str, Any], form: str, output: str | None, *, own_batches: bool
) -> None:
    from pipedoctor.cli.output import to_stdout, width, write
    from pipedoctor.tune.imagined import dumped, render

    if form == "json":
        write(dumped(found), output)
        return
    columns = width() if to_stdout(output) else 100
    write(render(found, width=columns, own_batches=own_batches), output)


def _unknown(done: "Attempt") -> str:
    """Why nothing can be imagined; empty: something can."""
    from pipedoctor.tune.decide import overruled

    search = done.search
    if done.trouble:
        return done.trouble
    trials = search.ledger.trials
    known = search.ledger.of(search.start) and any(trial.costs for trial in trials)
    if done.interrupted and not known:
        return "interrupted before the current setting was measured"
    return overruled(search.pipeline())


def _imagined(
    done: "Attempt", change: "Change", output: str | None, *, no_redact: bool
) -> dict[str, Any]:
    """The answer as this file, or stdout, may show it."""
    from pipedoctor.cli.privacy import redactor, texts
    from pipedoctor.tune.whatif import imagine

    found = imagine(done.search, change, accelerator=done.loaded["accelerator"])
    named = {"target": found["target"]}
    hidden = texts(redactor(output, no_redact=no_redact), named)
    return {**found, **hidden, "interrupted": done.interrupted}


def _change(typed: dict[str, Any]) -> "Change":
    """What to imagine; the rest of what was typed is how to measure."""
    from pipedoctor.tune.predict import World
    from pipedoctor.tune.whatif import Change

    named = ["workers", "prefetch", "in_order", "persistent", "pin_memory", "batch"]
    named += ["one_thread", "start_method"]
    world = World(
        cores=typed.pop("cores"),
        storage=typed.pop("storage"),
        uint8=typed.pop("dtype") == "uint8",
    )
    return Change(world=world, **{name: typed.pop(name) for name in named})
