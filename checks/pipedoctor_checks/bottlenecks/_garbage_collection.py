"""Python's garbage collector, if it takes a large part of the workers' time."""

from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.check import Counterfactual, Remedy, in_code
from pipedoctor_checks.bottlenecks._setting_advice import TUNED_SETTING

_WITHOUT_COLLECTOR = Counterfactual(uncollected=True)


def cpu_counterfactual(bottleneck: Bottleneck) -> Counterfactual:
    """Return what the first remedy of a CPU bottleneck changes."""
    return _WITHOUT_COLLECTOR if "collector_share" in bottleneck.evidence else TUNED_SETTING


def advise_gc_freeze(bottleneck: Bottleneck) -> tuple[Remedy, ...]:
    """Advise gc.freeze() in workers; none if garbage collection costs little."""
    if "collector_share" not in bottleneck.evidence:
        return ()
    title = "Freeze existing objects in each worker, so that garbage collection skips them"
    snippet = (
        "import gc\n\n\n"
        "def skip_the_past(worker_id):\n"
        "    gc.freeze()\n\n\n"
        "DataLoader(..., worker_init_fn=skip_the_past)"
    )
    return (in_code(title, snippet),)
