"""Python's garbage collector, where it takes the time of workers."""

from pipedoctor.bottleneck import Bottleneck
from pipedoctor.check import Counterfactual
from pipedoctor.remedy import Remedy, in_code
from pipedoctor_checks._bottleneck import TUNED

_UNCOLLECTED = Counterfactual(uncollected=True)


def computed(found: Bottleneck) -> Counterfactual:
    """What the first remedy of computing changes."""
    return _UNCOLLECTED if "collector_share" in found.evidence else TUNED


def uncollected(found: Bottleneck) -> tuple[Remedy, ...]:
    """What spares workers Python's garbage collector; none where it costs little."""
    if "collector_share" not in found.evidence:
        return ()
    title = "Let the garbage collector of each worker skip what was there before"
    snippet = (
        "import gc\n\n\n"
        "def skip_the_past(worker_id):\n"
        "    gc.freeze()\n\n\n"
        "DataLoader(..., worker_init_fn=skip_the_past)"
    )
    return (in_code(title, snippet),)
