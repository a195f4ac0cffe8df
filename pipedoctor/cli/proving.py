"""`fix --measure TARGET`: the loader before the change, ready to be compared."""

from collections.abc import Mapping, Sequence
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
    from pipedoctor.tune.proof import Before
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
    from pipedoctor.cli.priced import of
    from pipedoctor.fix import plan
    from pipedoctor.fix.code.measure import Clock

    tell = stack.enter_context(bar(wishes["budget"]))
    before = _before(stack, _order(wishes, tell))
    tell("")  # until what was changed is measured
    if wishes["prove"] and before.found.unmeasured:
        message = (
            f"nothing was changed: no proof is possible: {before.found.unmeasured}"
        )
        raise plan.Refused(message)
    found = of(before.found, paths).pipeline
    clock = Clock(before=before, strict=wishes["prove"])
    return clock, () if found is None else (found,)


def _before(stack: ExitStack, wanted: "Order") -> "Before":
    """The loader as it is now; raises UsageError, and `fix`'s Refused."""
    from pipedoctor.cli.priced import refusal
    from pipedoctor.fix import plan
    from pipedoctor.tune.probe import Failed
    from pipedoctor.tune.proof import proving
    from pipedoctor.tune.session import Lost, Refused

    target = wanted.target
    try:
        return stack.enter_context(proving(wanted))
    except Refused as reason:
        raise click.UsageError(refusal(target, reason)) from None
    except (Failed, Lost) as reason:
        message = f"nothing was changed: {target} cannot be measured: {reason}"
        raise plan.Refused(message) from None


def timed(counter: "Counter", job: "Job", wishes: Mapping[str, Any]) -> int:
    """
    Apply remedies of the machine, by the clock where --measure asks for it.

    What only a loader that runs can tell is measured before there is a plan. Raises
    UsageError where none is named.
    """
    from pipedoctor.fix.apply import apply
    from pipedoctor.fix.named import by_running

    running = [check.name for check in job.checks if by_running(check)]
    if not wishes["measure"]:
        _refuse_unmeasured(running)
        return apply(counter, job)
    from pipedoctor.cli.priced import of, refusal
    from pipedoctor.fix.measure import Clock
    from pipedoctor.tune.session import Refused

    with ExitStack() as stack:

        def watch(doing: str) -> None:  # a bar from the first word on, not from consent
            shown()(doing)

        shown = cache(lambda: stack.enter_context(bar(wishes["budget"])))
        wanted = _order(wishes, watch)
        before = _before(stack, wanted) if running else None
        if before is not None:
            watch("")
            found = of(before.found, ())
            job = job.knowing(found.pipeline, found.unmeasured)
        clock = Clock(order=wanted, strict=wishes["prove"], first=before)
        try:
            return apply(counter, job, clock)
        except Refused as reason:
            message = refusal(wishes["measure"], reason)
            raise click.UsageError(message) from None


def _refuse_unmeasured(names: Sequence[str]) -> None:
    if names:
        message = (
            f"{names[0]}: only a loader that runs can tell: give --measure"
            " file.py:callable, or look at it by `pipedoctor check --measure`"
        )
        raise click.UsageError(message)


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
