"""Write the recommended arguments into the user's code."""

from typing import Any

from pipedoctor.fix.code.set_arguments import set_arguments
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.plan.plan import FixRefusedError
from pipedoctor.fix.request.named_checks import Examination
from pipedoctor.tune.output.text import format_recommended
from pipedoctor.tune.search.tuning import Tuning


def apply_tuning(tuning: Tuning, console: Console, examination: Examination) -> int:
    """
    Edit the call that made the user's DataLoader; gives the exit code of `fix`.

    Raises Refused where there is no such call: the target gave a dataset, or the
    call cannot be edited exactly; and where the gain is only possible.
    """
    if tuning.choice.confidence == "possible":
        message = (
            "nothing was changed: others disturbed the measurement, so the gain is only"
            " possible; measure again on a quiet machine (--wait 60), or write:"
        )
        raise FixRefusedError(message, format_recommended(tuning))
    if tuning.made_at is None:
        message = "the target creates no DataLoader that could be edited; write:"
        raise FixRefusedError(message, format_recommended(tuning))
    path, number = tuning.made_at
    return set_arguments(console, examination, path, number, list_changed_arguments(tuning))


def list_changed_arguments(tuning: Tuning) -> dict[str, Any]:
    """What has to stand in the call, and nothing that is a default anyway."""
    new, old = tuning.choice.setting, tuning.written_setting or tuning.pipeline.start
    found: dict[str, Any] = {"num_workers": new.num_workers}
    if new.prefetch_factor != old.prefetch_factor:
        found["prefetch_factor"] = new.prefetch_factor
    for name in ("in_order", "persistent_workers", "pin_memory", "batch_size"):
        if getattr(new, name) != getattr(old, name):
            found[name] = getattr(new, name)
    return found
