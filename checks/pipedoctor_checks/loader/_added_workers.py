"""How workers are added to a loader: in its call, or by an option."""

from pipedoctor.check.edits import Edits, edit_arguments
from pipedoctor.facts import Setting, Source
from pipedoctor.facts.source import Argument, LoaderCall
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.loader_calls import is_updated_per_epoch

USUAL_SETTING = Setting(num_workers=2, prefetch_factor=2)
_OPTION = compile_lazily(r"default of (--?[\w-]+)")


def add_workers(source: Source, loader: LoaderCall, best: Setting) -> Edits:
    """Add workers; make them persistent if epochs repeat and no epoch state is set."""
    wanted = _changed_arguments(best)
    if loader.repeats:
        wanted["persistent_workers"] = "True"
    if is_updated_per_epoch(source, loader):
        wanted.pop("persistent_workers", None)
    return edit_arguments(loader, **wanted)


def _changed_arguments(best: Setting) -> dict[str, str]:
    """Arguments that differ from torch's defaults."""
    wanted = {"num_workers": str(best.num_workers)}
    if best.prefetch_factor not in {None, USUAL_SETTING.prefetch_factor}:
        wanted["prefetch_factor"] = str(best.prefetch_factor)
    if best.persistent_workers:
        wanted["persistent_workers"] = "True"
    return wanted


def format_option(workers: Argument, best: Setting) -> str:
    """``--workers 4``, where the option of that name gives none by default."""
    option = _OPTION.fullmatch(workers.why) if workers.how == "default" else None
    return f"{option[1]} {best.num_workers}  # or by default" if option else ""


def format_call(best: Setting) -> str:
    """``DataLoader(..., num_workers=4)``."""
    words = (f"{name}={value}" for name, value in _changed_arguments(best).items())
    return f"DataLoader(..., {', '.join(words)})"
