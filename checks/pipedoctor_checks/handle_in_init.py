"""PDR302: does a data set open in `__init__` what its items read?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import rewritten
from pipedoctor.facts import Interpreter, Site, Source
from pipedoctor.facts.source import Event, LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import without_workers
from pipedoctor_checks._start import start_method


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
    used in code for items, itself or a part such as `self.file["images"]`. It is
    neither closed again in `__init__` nor opened anew in the worker; `if self.file is
    None` opens nothing where a fork has copied the handle. A `__getstate__` that
    leaves the handle out helps under spawn and forkserver only, for fork pickles
    nothing.

    HDF5 and LMDB say themselves that a handle must not be carried over a fork. LMDB
    raises `ReadersFullError` in the workers, measured; with `lock=False` it did not,
    so that is a risk only.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/11887
    - https://github.com/pytorch/pytorch/issues/11929
    - http://www.lmdb.tech/doc/ (Caveats)
    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    for event in source.of("keeps-handle"):
        method, why = start_method(source, event.at.path, interpreter, site)
        details = event.details
        harmless = details.get("closed") or details.get("renewed")
        left = details.get("dropped") and method != "fork"
        if harmless or left or not details.get("used") or event.handler:
            continue
        workers = [x for x in source.loaders if _loads(x, event) and without_workers(x)]
        if workers and not any(
            _loads(x, event) and not without_workers(x) for x in source.loaders
        ):
            continue
        severity, harm = _harm(event, method)
        yield at(
            [event.at],
            severity,
            f"{details['attribute']} of {event.owner.rpartition('.')[2]} {harm}"
            " in workers: it is opened before they start",
            in_code(
                "Open it in the worker, where it is first used",
                "if self._pid != os.getpid():\n"
                f"    self._file, self._pid = {_opening(event)}, os.getpid()",
                edits=rewritten(event) if _alone(source, event) else (),
                unsafe="it is opened later: a relative path, or what the file holds by"
                " then, may differ",
            ),
            confidence=Confidence.LIKELY,
            opened_by=event.name,
            start_method=f"{method}: {why}",
        )


def _harm(event: Event, method: str) -> tuple[Severity, str]:
    """What becomes of it in workers that start like this."""
    if method != "fork":
        return Severity.BREAKS, "cannot be pickled"
    if event.name != "lmdb.open":
        return Severity.BREAKS, "reads wrong data"
    if event.details.get("unlocked"):
        return Severity.RISKS, "must not be used"
    return Severity.BREAKS, "fails"


def _opening(event: Event) -> str:
    """The same call in short."""
    if event.name == "lmdb.open":
        return "lmdb.open(self.path, readonly=True, lock=False)"
    plain = event.name in {"open", "io.open"}
    return "open(self.path, 'rb')" if plain else f"{event.name}(self.path)"


def _alone(source: Source, event: Event) -> bool:
    """Is it the only one of its class? Two would need one way to be pickled."""
    if event.details.get("part"):
        return False  # what was taken of it would stay that of the first process
    return [e.owner for e in source.of("keeps-handle")].count(event.owner) == 1


def _loads(loader: LoaderCall, event: Event) -> bool:
    return loader.dataset is not None and loader.dataset.name == event.owner
