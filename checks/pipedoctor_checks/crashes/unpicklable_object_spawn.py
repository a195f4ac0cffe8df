"""PDR934: An object that workers need cannot be pickled."""

from pipedoctor.check import in_code
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR934",
    "An object that workers need cannot be pickled",
    summary=(
        "The dataset, a transform or collate_fn holds something that cannot "
        "be pickled for the workers"
    ),
    remedies=(
        in_code(
            "Use module-level functions, not lambdas or inner functions; open handles in"
            " the worker, on first use",
            "from functools import partial\n\n\n"
            "def scale(sample, factor):  # at the top level of a module\n"
            "    return sample * factor\n\n\n"
            "transform = partial(scale, factor=2)  # instead of: lambda sample: sample * 2",
        ),
        in_code("Alternatively fork, on Linux", 'DataLoader(..., multiprocessing_context="fork")'),
    ),
)
def unpicklable_object_spawn() -> None:
    """
    Find a lambda, a local class or an open handle in what is sent to workers.

    ## Why it hurts

    With spawn and forkserver (Windows, macOS, and Linux from Python 3.14 on) the
    dataset, its transforms and `collate_fn` are pickled for every worker. Lambdas,
    nested functions, open files and generators cannot be pickled.

    ## How it is judged

    Pickling failed while workers were started. The `EOFError: Ran out of input` in the
    child is only a consequence.

    ## Sources

    - https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled
    - https://docs.pytorch.org/docs/stable/notes/windows.html
    """
