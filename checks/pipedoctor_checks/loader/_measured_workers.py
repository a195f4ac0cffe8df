"""The setting that measured best for the loader under examination."""

from pipedoctor.facts import Pipeline, Setting, Source
from pipedoctor.facts.source import LoaderCall


def find_best_setting(
    pipeline: Pipeline | None, source: Source, loader: LoaderCall
) -> Setting | None:
    """The setting that measured best for this loader; None: unknown."""
    if pipeline is None or pipeline.unusable_reason:
        return None
    made, call = pipeline.made_at, loader.at
    if made is None:
        return pipeline.best if len(source.loaders) == 1 else None
    last = call.end_line or call.line
    ours = made.path == call.path and call.line <= made.line <= last
    return pipeline.best if ours else None
