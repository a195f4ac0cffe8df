"""Write the recommended arguments into the user's code."""

from typing import Any

from pipedoctor.fix.code.set_arguments import set_arguments
from pipedoctor.fix.counter import Counter
from pipedoctor.fix.named import Examination
from pipedoctor.fix.plan import Refused
from pipedoctor.tune.text import recommended
from pipedoctor.tune.tuning import Tuning


def applied(tuning: Tuning, counter: Counter, examination: Examination) -> int:
    """
    Edit the call that made the user's DataLoader; gives the exit code of `fix`.

    Raises Refused where there is no such call: the target gave a data set, or the
    call cannot be edited exactly.
    """
    if tuning.made_at is None:
        message = "the target makes no DataLoader that could be edited; write:"
        raise Refused(message, recommended(tuning))
    path, number = tuning.made_at
    return set_arguments(counter, examination, path, number, values(tuning))


def values(tuning: Tuning) -> dict[str, Any]:
    """What has to stand in the call, and nothing that is a default anyway."""
    new, old = tuning.choice.setting, tuning.written or tuning.seen.start
    found: dict[str, Any] = {"num_workers": new.num_workers}
    if new.prefetch_factor != old.prefetch_factor:
        found["prefetch_factor"] = new.prefetch_factor
    for name in ("in_order", "persistent_workers", "pin_memory", "batch_size"):
        if getattr(new, name) != getattr(old, name):
            found[name] = getattr(new, name)
    return found
