"""PDR306: does a script start workers outside a main guard?"""

from pipedoctor.check import Confidence, Findings, check
from pipedoctor.edits import Edits, managed
from pipedoctor.facts import Interpreter, Site, Source
from pipedoctor.facts.source import LoaderCall  # noqa: TC001  (hints are read)
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, may_have_workers, told
from pipedoctor_checks._start import unpicklable


@check("PDR306", "Workers start without a main guard")
def main_guard(
    source: Source, interpreter: Interpreter | None, site: Site | None, /
) -> Findings:
    """
    Look for scripts that iterate a loader with workers when they are imported.

    ## Why it hurts

    Under spawn and forkserver each worker imports the script again, and so starts
    workers of its own: RuntimeError, An attempt has been made to start a new process
    before the current process has finished its bootstrapping phase.

    ## How it is judged

    The loop over the loader runs at the top of the module, directly or through calls,
    and not under a main guard. A loader that is only made there is left alone, and so
    are notebooks. Under fork it is a note.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#platform-specific-behaviors
    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    files: dict[str, list[LoaderCall]] = {}
    for loader in source.loaders:
        if loader.unguarded and may_have_workers(loader) and not loader.testing:
            files.setdefault(loader.at.path, []).append(loader)
    for path, loaders in files.items():
        severity, why = unpicklable(source, path, interpreter, site)
        yield at(
            [loader.at for loader in loaders],
            severity,
            f"{called(loaders[0])} starts workers without a main guard; {why}",
            in_code(
                "Move it into a function under a guard",
                'if __name__ == "__main__":\n    main()',
                edits=_guarded(source, path),
                unsafe="who imports this file gets none of what it makes from there on",
            ),
            confidence=Confidence.LIKELY,
            num_workers=told(loaders[0].get("num_workers")),
        )


def _guarded(source: Source, path: str) -> Edits:
    """From the first line that starts workers to the end of the file."""
    found = [event for event in source.of("starts-workers") if event.at.path == path]
    return managed(found[:1])
