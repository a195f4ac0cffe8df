"""PDR306: does a script start workers outside a main guard?"""

from pipedoctor.check import Confidence, Findings, check, in_code
from pipedoctor.check.edits import Edits, rewrite_blocks
from pipedoctor.facts import Interpreter, Site, Source
from pipedoctor.facts.code_events.program import WorkerStart
from pipedoctor.facts.source import LoaderCall, Spot  # noqa: TC001  (hints are read)
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    format_argument,
    loader_name,
    may_have_workers,
)
from pipedoctor_checks._shared.start_method import judge_unpicklable


@check("PDR306", "Workers start without a main guard", fix="code", subject="loader", merges=True)
def main_guard(source: Source, interpreter: Interpreter | None, site: Site | None, /) -> Findings:
    """
    Look for scripts that iterate a loader with workers when they are imported.

    ## Why it hurts

    With spawn and forkserver each worker imports the script again, and would start its
    own workers: RuntimeError, An attempt has been made to start a new process before
    the current process has finished its bootstrapping phase.

    ## How it is judged

    The loop over the loader runs at the top level of the module, directly or through
    calls, also into other files, and not under a main guard; or a trainer of Lightning is
    given the loader there. A loader that is only
    created there is not reported, and neither are notebooks. With fork it is a note.

    ## Bad example

    ```python
    loader = DataLoader(dataset, num_workers=4)
    for rows in loader:
        evaluate(rows)
    ```

    ## Good example

    ```python
    def main():
        for rows in DataLoader(dataset, num_workers=4):
            evaluate(rows)

    if __name__ == "__main__":
        main()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#platform-specific-behaviors
    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    scripts = {e.details.loader: e.at for e in source.select_events(WorkerStart)}
    files: dict[str, dict[Spot, LoaderCall]] = {}
    for number, loader in enumerate(source.loaders):
        if loader.unguarded and may_have_workers(loader) and not loader.testing:
            at = scripts.get(number, loader.at)
            files.setdefault(at.path, {}).setdefault(at, loader)
    for path, starts in files.items():
        loaders = [*starts.values()]
        severity, why = judge_unpicklable(source, path, interpreter, site, loaders)
        begun = [e.at for e in source.select_events(WorkerStart) if e.at.path == path]
        yield make_code_finding(
            [*starts, *(one for one in begun if one not in starts)],
            severity,
            f"{loader_name(loaders[0])} starts workers without a main guard; {why}",
            in_code(
                "Move it into a function called under a main guard",
                _write_guard(source, path),
                edits=_add_guard(source, path),
                unsafe="modules that import this file no longer get the names it defines from"
                " there on",
            ),
            confidence=Confidence.LIKELY,
            num_workers=format_argument(loaders[0].get("num_workers")),
        )


def _add_guard(source: Source, path: str) -> Edits:
    """From the first line that starts workers to the end of the file."""
    found = [event for event in source.select_events(WorkerStart) if event.at.path == path]
    return rewrite_blocks(found[:1])


def _write_guard(source: Source, path: str) -> str:
    """The guard, and which lines of the file it takes."""
    found = (e.details.lines for e in source.select_events(WorkerStart) if e.at.path == path)
    lines = next((text for text in found if isinstance(text, str)), "")
    taken = f"lines {lines} of the file" if lines else "what starts the workers"
    return f'if __name__ == "__main__":\n    ...  # {taken}, indented'
