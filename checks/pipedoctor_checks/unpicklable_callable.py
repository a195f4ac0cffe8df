"""PDR305: is a lambda or a local function given to workers?"""

from pipedoctor.check import Confidence, Findings, check
from pipedoctor.edits import Edits, every, rewritten
from pipedoctor.facts import Interpreter, Site, Source
from pipedoctor.facts.source import Spot
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at, by_class, spots
from pipedoctor_checks._loader import called, may_have_workers, without_workers
from pipedoctor_checks._start import unpicklable


@check("PDR305", "A function that cannot be sent to a worker")
def unpicklable_callable(
    source: Source, interpreter: Interpreter | None, site: Site | None, /
) -> Findings:
    """
    Look for lambdas and local functions that workers need.

    ## Why it hurts

    Under spawn and forkserver everything a worker needs is pickled, and a lambda is
    not: AttributeError, Can't pickle local object. Forkserver is the default on Linux
    from Python 3.14 on.

    ## How it is judged

    `collate_fn` or `worker_init_fn` is a lambda or a function within a function; or a
    data set keeps a lambda on `self`. Loaders without workers, and lambdas that are
    used and dropped, are left alone. Under fork it is a note.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/138957
    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    yield from alike(source, _given(source, interpreter, site))
    workless = {
        x.dataset.name for x in source.loaders if x.dataset and without_workers(x)
    }
    needed = {
        x.dataset.name for x in source.loaders if x.dataset and may_have_workers(x)
    }
    for group in by_class(source.of("keeps-lambda")):
        owner = group[0].owner
        severity, why = unpicklable(source, group[0].at.path, interpreter, site)
        if owner in workless - needed or all(e.details.get("renewed") for e in group):
            continue
        yield at(
            spots(group),
            severity,
            f"{owner.rpartition('.')[2]} keeps a lambda on {group[0].name}; {why}",
            in_code(
                "Define it at the top of a module",
                edits=every(map(rewritten, group)),
            ),
            confidence=Confidence.LIKELY,
            kept_in=group[0].name,
        )


def _moved(source: Source, given: Spot | None) -> Edits:
    """As a function of the module, if it needs nothing that only its place has."""
    found = (event for event in source.of("sent") if event.at == given)
    return next(map(rewritten, found), ())


def _given(
    source: Source, interpreter: Interpreter | None, site: Site | None
) -> Findings:
    """What loaders are given themselves."""
    for loader in source.loaders:
        severity, why = unpicklable(source, loader.at.path, interpreter, site)
        for name in ("collate_fn", "worker_init_fn", "transform"):
            given = loader.get(name)
            if given.form in {"lambda", "local function"} and may_have_workers(loader):
                yield at(
                    [given.at or loader.at],
                    severity,
                    f"{called(loader)} gets a {given.form} as {name}; {why}",
                    in_code(
                        "Define it at the top of a module",
                        edits=_moved(source, given.at),
                    ),
                    confidence=Confidence.LIKELY,
                    given=given.text,
                )
