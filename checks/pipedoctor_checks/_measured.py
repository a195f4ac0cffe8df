"""Whether a measurement speaks of the machine that is judged."""

from pipedoctor.facts import Cpu, Host, Pipeline, Setting, Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.units import many


def elsewhere(host: Host, cpu: Cpu | None) -> str:
    """Where it was measured, if that is another machine for certain; else empty."""
    if cpu is None or host.same(cpu.model, cpu.logical):
        return ""
    model = host.model or "an unnamed processor"
    return f"it was measured on another machine: {model}, {many(host.cpus, 'CPU')}"


def best_for(
    seen: Pipeline | None, source: Source, loader: LoaderCall
) -> Setting | None:
    """The setting that was measured to be best for this loader; None: nobody knows."""
    if seen is None:
        return None
    made, call = seen.made_at, loader.at
    if made is None:
        return seen.best if len(source.loaders) == 1 else None
    last = call.end_line or call.line
    ours = made.path == call.path and call.line <= made.line <= last
    return seen.best if ours else None
