"""Which setting was measured to be best for the loader that is judged."""

from pipedoctor.facts import Pipeline, Setting, Source
from pipedoctor.facts.source import LoaderCall


def best_for(
    seen: Pipeline | None, source: Source, loader: LoaderCall
) -> Setting | None:
    """The setting that was measured to be best for this loader; None: nobody knows."""
    if seen is None or seen.blank:
        return None
    made, call = seen.made_at, loader.at
    if made is None:
        return seen.best if len(source.loaders) == 1 else None
    last = call.end_line or call.line
    ours = made.path == call.path and call.line <= made.line <= last
    return seen.best if ours else None
