"""Settings of the loader that a measurement or a simulation found faster."""

from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.check import Counterfactual, Lasts, Remedy, in_code
from pipedoctor.facts import Pipeline, Setting

TUNED_SETTING = Counterfactual(tuned=True)


def advise_tuning(pipeline: Pipeline, bottleneck: Bottleneck) -> tuple[Remedy, ...]:
    """What proves it, where there is something to prove."""
    if bottleneck.name in {"consumer", "unknown"}:
        return ()
    argv = ("pipedoctor", "tune", name_callable(pipeline))
    title = "Measure it: CALLABLE returns the dataset or the DataLoader"
    return (Remedy(title=title, argv=argv, lasts=Lasts.PROCESS, advice=True),)


def name_callable(pipeline: Pipeline) -> str:
    """What to give to a command that runs the loader itself."""
    return pipeline.target if pipeline.observed is None else "MODULE:CALLABLE"


def advise_setting(pipeline: Pipeline) -> tuple[Remedy, ...]:
    """The setting that measured faster, to paste; none if there is none."""
    best, start = pipeline.best, pipeline.start
    if best is None or not has_changes(best, start):
        return ()
    how = "expected" if pipeline.observed is not None else "measured"
    title = f"Use the fastest {how} setting"
    return (in_code(title, f"DataLoader(..., {format_changes(best, start)})"),)


def has_changes(best: Setting, start: Setting) -> bool:
    """Is there anything to change?"""
    return bool(format_changes(best, start))


def format_changes(best: Setting, start: Setting) -> str:
    """Format the arguments that differ: ``num_workers=8, prefetch_factor=4``."""
    names = ("num_workers", "prefetch_factor", "in_order", "persistent_workers")
    pairs = ((name, getattr(best, name)) for name in names)
    changed = [f"{k}={v!r}" for k, v in pairs if v != getattr(start, k)]
    return ", ".join(changed)
