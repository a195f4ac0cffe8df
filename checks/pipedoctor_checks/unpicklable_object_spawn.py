"""PDR934: An object that workers need cannot be pickled."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        (
            "Use functions of a module, not lambdas or inner "
            "functions; open handles in the worker, at first use"
        ),
        ("functools.partial(top_level_function, size=224)  # in place of a lambda"),
    ),
    in_code("Or fork, on Linux", 'DataLoader(..., multiprocessing_context="fork")'),
)


@check("PDR934", "An object that workers need cannot be pickled")
def unpicklable_object_spawn(log: Log, site: Site | None, /) -> Findings:
    """
    Find a lambda, a local class or an open handle in what is sent to workers.

    ## Why it hurts

    With spawn and forkserver (Windows, macOS, and Linux from Python 3.14 on) the
    dataset, its transforms and `collate_fn` are pickled for every worker. Lambdas,
    functions inside functions, open files and generators cannot be.

    ## How it is judged

    Pickling failed while workers were started. The `EOFError: Ran out of input` of
    the child is only its echo.

    ## Sources

    - https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled
    - https://docs.pytorch.org/docs/stable/notes/windows.html
    """
    yield from told(
        log,
        site,
        "unpicklable_object_spawn",
        (
            "The dataset, a transform or collate_fn holds something that cannot "
            "be pickled for the workers"
        ),
        *_REMEDIES,
    )
