"""`fix --code --measure TARGET`: the loader before the edits, ready to be compared."""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli.bar import bar

if TYPE_CHECKING:
    from pipedoctor.facts import Fact
    from pipedoctor.fix.code.measure import Clock


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
    from pipedoctor.cli.priced import measuring, of
    from pipedoctor.cli.targeted import order
    from pipedoctor.fix import plan
    from pipedoctor.fix.code.measure import Clock
    from pipedoctor.tune.probe import Failed
    from pipedoctor.tune.proof import proving
    from pipedoctor.tune.session import Lost, Refused

    with bar(wishes["budget"]) as tell:
        wanted = order(
            {
                "target": target,
                "budget": wishes["budget"],
                "step_seconds": wishes["step_seconds"],
                "step": None,
                "watch": measuring(tell),
            }
        )
        try:
            before = stack.enter_context(proving(wanted))
        except Refused as reason:
            message = f"--measure {target}: {reason}"
            raise click.UsageError(message) from None
        except (Failed, Lost) as reason:
            message = f"nothing was changed: {target} cannot be measured: {reason}"
            raise plan.Refused(message) from None
    if wishes["prove"] and before.found.unmeasured:
        message = (
            f"nothing was changed: no proof is possible: {before.found.unmeasured}"
        )
        raise plan.Refused(message)
    found = of(before.found, paths).pipeline
    clock = Clock(before=before, strict=wishes["prove"])
    return clock, () if found is None else (found,)
