"""`pipedoctor whatif TARGET`: predict another setting, or another machine."""

from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli.targeted import INTERRUPTED, Progress, lost, order, targeted
from pipedoctor.cli.types import CORES, SOME

if TYPE_CHECKING:
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
    **typed: Any,
) -> None:
    """
    Predict what another setting, or another machine, would give for TARGET.

    The target is probed for some seconds, then the loader is simulated. What was
    never measured is marked as modelled.

    Exit codes: 0 done, 2 wrong usage or unreadable target, 3 could not measure.
    """
    from pipedoctor.cli.privacy import overheard
    from pipedoctor.tune import whatif
    from pipedoctor.tune.decide import overruled
    from pipedoctor.tune.probe import Failed
    from pipedoctor.tune.session import Lost, Refused
    from pipedoctor.tune.tuning import probed, unsized

    change = _change(typed)
    progress = Progress(typed["budget"])
    wanted = order({**typed, "watch": progress})
    try:
        with probed(wanted) as (search, loaded):
            if change.batch:
                unsized(wanted.target, "--batch", loaded)
            whatif.probe(search, change.start_method)
    except Refused as reason:
        progress.end()
        raise click.UsageError(overheard(reason)) from None
    except (Lost, Failed) as reason:
        progress.end()
        lost(context, wanted.target, reason)
        return
    except KeyboardInterrupt:
        progress.end()
        context.exit(INTERRUPTED)
    progress.end()
    if why := overruled(search.pipeline()):
        lost(context, wanted.target, why)
    found = whatif.imagine(search, change, accelerator=loaded["accelerator"])
    _show(found, form, output, own_batches=loaded["own_batches"])


def _show(
    found: dict[str, Any], form: str, output: str | None, *, own_batches: bool
) -> None:
    from pipedoctor.cli.output import width, write
    from pipedoctor.tune.imagined import dumped, render

    if form == "json":
        write(dumped(found), output)
        return
    columns = width() if output is None else 100
    write(render(found, width=columns, own_batches=own_batches), output)


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
