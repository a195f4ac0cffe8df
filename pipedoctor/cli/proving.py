"""`fix --measure TARGET`: the loader before the change, ready to be compared."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli.bar import Tell, bar

if TYPE_CHECKING:
    from pipedoctor.facts import Fact
    from pipedoctor.fix.code.measure import Clock
    from pipedoctor.fix.counter import Counter
    from pipedoctor.fix.order import Order as Job
    from pipedoctor.tune.tuning import Order


def clocked(
    stack: ExitStack, wishes: Mapping[str, Any], paths: tuple[str, ...]
) -> "tuple[Clock | None, tuple[Fact, ...]]":
    """
    What measures the edits, and the pipeline as it is; nothing without --measure.

    Raises UsageError for a target that cannot be read, and `fix`'s Refused where
    proof is asked for and the machine is too disturbed for one.
    """
    target = wishes["measure"]
    if not target:
        return None, ()
    from pipedoctor.cli.priced import of, refusal
    from pipedoctor.fix import plan
    from pipedoctor.fix.code.measure import Clock
    from pipedoctor.tune.probe import Failed
    from pipedoctor.tune.proof import proving
    from pipedoctor.tune.session import Lost, Refused

    tell = stack.enter_context(bar(wishes["budget"]))
    try:
        before = stack.enter_context(proving(_order(wishes, tell)))
    except Refused as reason:
        message = refusal(target, reason)
        raise click.UsageError(message) from None
    except (Failed, Lost) as reason:
        message = f"nothing was changed: {target} cannot be measured: {reason}"
        raise plan.Refused(message) from None
    tell("")  # until what was changed is measured
    if wishes["prove"] and before.found.unmeasured:
        message = (
            f"nothing was changed: no proof is possible: {before.found.unmeasured}"
        )
        raise plan.Refused(message)
    found = of(before.found, paths).pipeline
    clock = Clock(before=before, strict=wishes["prove"])
    return clock, () if found is None else (found,)


def timed(counter: "Counter", job: "Job", wishes: Mapping[str, Any]) -> int:
    """Apply remedies of the machine, by the clock where --measure asks for it."""
    from pipedoctor.fix.apply import apply

    if not wishes["measure"]:
        return apply(counter, job)
    from pipedoctor.cli.priced import refusal
    from pipedoctor.fix.measure import Clock
    from pipedoctor.tune.session import Refused

    with ExitStack() as stack:

        def watch(doing: str) -> None:  # a bar from the first word on, not from consent
            shown()(doing)

        shown = cache(lambda: stack.enter_context(bar(wishes["budget"])))
        clock = Clock(order=_order(wishes, watch), strict=wishes["prove"])
        try:
            return apply(counter, job, clock)
        except Refused as reason:
            message = refusal(wishes["measure"], reason)
            raise click.UsageError(message) from None


def _order(wishes: Mapping[str, Any], watch: Tell) -> "Order":
    from pipedoctor.cli.targeted import order

    wanted: Order = order(
        {
            "target": wishes["measure"],
            "budget": wishes["budget"],
            "step_seconds": wishes["step_seconds"],
            "step": None,
            "watch": watch,
        }
    )
    return wanted
