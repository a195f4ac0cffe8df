"""PDR302: does a dataset open in `__init__` what its items read?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import rewrite_pieces
from pipedoctor.facts import Interpreter, Site, Source
from pipedoctor.facts.code_events.dataset import HandleAttribute
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    find_loaders_of,
    has_only_optional_workers,
    is_without_workers,
)
from pipedoctor_checks._shared.own_names import (
    choose_attribute,
    open_in_worker,
    read_first_argument,
)
from pipedoctor_checks._shared.start_method import find_start_method

_SHARED_OFFSET = frozenset(
    (
        *("open", "io.open", "os.open", "gzip.open", "PIL.Image.open"),
        *("zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "h5py.File"),
        *("netCDF4.Dataset", "tables.open_file", "tables.openFile", "pandas.HDFStore"),
    )
)
"""What reads from where another process has left the file: measured, or of such a library."""


@check("PDR302", "One open file is shared by all workers", fix="code", subject="item")
def handle_in_init(
    source: Source, interpreter: Interpreter | None, site: Site | None, /
) -> Findings:
    """
    Look for handles that are opened in `__init__` and used by items.

    ## Why it hurts

    Forked workers share the offset of one open file: each worker reads where another
    one stopped. 2,677 of 4,000 items were wrong, measured, and no error was raised.
    With spawn and forkserver the handle cannot be pickled.

    ## How it is judged

    The handle of a file, an archive or a database is stored on `self` in `__init__` and
    used in code for items, directly or through a part such as `self.file["images"]`. It
    is neither closed again in `__init__` nor opened again in the worker; `if self.file
    is None` opens nothing if a fork has copied the handle. A `__getstate__` that drops
    the handle helps only with spawn and forkserver, because fork pickles nothing.

    HDF5, LMDB, SQLite and others document that a handle must not be carried across a
    fork; only where it is known to read wrong data or to fail does it break. LMDB raises
    `ReadersFullError` in the workers, measured; with `lock=False` it did not, so that
    is only a risk.

    ## Bad example

    ```python
    class Records(Dataset):
        def __init__(self, size):
            self.file = open("train.bin", "rb")

        def __getitem__(self, index):
            self.file.seek(index * 1024)
            return self.file.read(1024)

    loader = DataLoader(Records(9), num_workers=4)
    ```

    ## Good example

    ```python
    class Records(Dataset):
        def __init__(self, size):
            self.file = None

        def __getitem__(self, index):
            if self.file is None:
                self.file = open("train.bin", "rb")
            self.file.seek(index * 1024)
            return self.file.read(1024)

    loader = DataLoader(Records(9), num_workers=4)
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/issues/11887
    - https://github.com/pytorch/pytorch/issues/11929
    - http://www.lmdb.tech/doc/ (Caveats)
    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    for event in source.select_events(HandleAttribute):
        users = find_loaders_of(source, event.owner)
        method, why = find_start_method(source, event.at.path, interpreter, site, users)
        details = event.details
        harmless = details.closed or details.renewed
        left = details.dropped and method != "fork"
        if harmless or left or not details.used or event.handler:
            continue
        if users and all(map(is_without_workers, users)):
            continue
        severity, harm = _judge_harm(event, method)
        yield make_code_finding(
            [event.at],
            Severity.RISKS if has_only_optional_workers(users) else severity,
            f"{details.attribute} of {event.owner.rpartition('.')[2]} {harm}"
            " in workers: it is opened before they start",
            in_code(
                "Open it in the worker, on first use",
                _open_late(event),
                edits=rewrite_pieces(event) if _is_only_handle(source, event) else (),
                unsafe="it is opened later: a relative path or the contents of the file may"
                " differ by then",
            ),
            confidence=Confidence.LIKELY,
            opened_by=event.name,
            start_method=f"{method}: {why}",
        )


def _judge_harm(event: Event[HandleAttribute], method: str) -> tuple[Severity, str]:
    """Judge what happens to the handle in workers that start by this method."""
    if method != "fork":
        return Severity.BREAKS, "cannot be pickled"
    if event.name == "lmdb.open" and not event.details.unlocked:
        return Severity.BREAKS, "fails"
    if event.name in _SHARED_OFFSET:
        return Severity.BREAKS, "reads wrong data"
    return Severity.RISKS, "must not be used"


def _open_late(event: Event[HandleAttribute]) -> str:
    """The same opening as in the code; empty where that is too long to be known."""
    details, opening = event.details, event.details.opening
    if event.name == "lmdb.open" and (path := read_first_argument(opening)):
        opening = f"lmdb.open({path}, readonly=True, lock=False)"
    if not opening or opening.endswith("..."):
        return ""
    variables = details.variables.split(",") if details.variables else ()
    return open_in_worker(choose_attribute(details.attribute, "self.file"), opening, variables)


def _is_only_handle(source: Source, event: Event[HandleAttribute]) -> bool:
    """Is it the only one of its class? Two would need one way to be pickled."""
    if event.details.part:
        return False  # what was taken of it would stay that of the first process
    return [e.owner for e in source.select_events(HandleAttribute)].count(event.owner) == 1
