"""PDR934: An object that workers need cannot be pickled."""

import functools

from msgspec.structs import replace

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks.crashes._lambda_rewrite import write_as_function
from pipedoctor_checks.crashes._log_check import log_check

_INNER = compile_lazily(r"(?P<outer>[\w.]+)\.<locals>\.(?P<inner>\w+)$")
_LAMBDA = compile_lazily(r"(?P<outer>[\w.]+)\.<locals>\.<lambda>$")
_REPLACE_LAMBDA = "Replace the lambda in {} by a function at the top level of the module"
_HANDLE = compile_lazily(r"^(?!function|type\b|dict_)(?:_?[a-z]\w*\.)?(?:_?[A-Za-z]\w*)$")


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Move what is pickled to the top level; forking it is only where there is a fork."""
    forked = in_code(
        "Alternatively fork, on Linux", 'DataLoader(..., multiprocessing_context="fork")'
    )
    text = log.find_value("unpicklable_object_spawn", "object").strip("'\u2019 ")
    named = _INNER.match(text)
    first = _move_function(named["inner"], named["outer"]) if named else _USE_FUNCTIONS
    if not named and _HANDLE.search(text):
        first = _leave_out(text, log.find_value("unpicklable_object_spawn", "attribute"))
    if own := log.find_value("unpicklable_object_spawn", "own"):
        first = _import_class(own)
    if nameless := _LAMBDA.match(text):
        first = replace(first, title=_REPLACE_LAMBDA.format(nameless["outer"]))
    if "lambda" in text and (lines := _rewrite_lambda(log)):
        first = replace(first, snippet=lines)
    return (first,) if log.system in {"windows", "macos"} else (first, forked)


def _leave_out(kind: str, attribute: str) -> Remedy:
    """For locks, loggers, modules, connections and files; `attribute` may hold it."""
    title = f"Leave the {kind} out of what is sent to the workers, and make it there, on first use"
    example = "" if attribute else " (handle stands for the attribute that holds it)"
    return in_code(
        title + example,
        "def __getstate__(self):  # of the dataset, or of what holds it\n"
        f'    return {{**self.__dict__, "{attribute or "handle"}": None}}',
    )


def _rewrite_lambda(log: Log) -> str:
    """The lambda that the log shows, as a function of the module; empty: it shows none."""
    find = functools.partial(log.find_value, "unpicklable_object_spawn")
    return write_as_function(find("lambda"), holder=find("holder"), caller=find("caller"))


def _move_function(inner: str, outer: str) -> Remedy:
    return in_code(
        f"Move {inner} out of {outer}, to the top level of the module",
        f"def {inner}(*args):  # at the top level; what it used of {outer} as arguments\n"
        "    ...  # its lines, as now",
    )


def _import_class(name: str) -> Remedy:
    """What a notebook or an interactive session defines is in no file that a child reads."""
    return in_code(
        f"Move {name} into a file of its own, which every worker can import",
        f"from own_classes import {name}  # its definition and imports stand in own_classes.py",
    )


_USE_FUNCTIONS = in_code(
    "Use module-level functions, not lambdas or inner functions; open handles in the worker,"
    " on first use",
    "from functools import partial\n\n\n"
    "def scale(sample, factor):  # at the top level of a module\n"
    "    return sample * factor\n\n\n"
    "transform = partial(scale, factor=2)  # instead of: lambda sample: sample * 2",
)


@log_check(
    "PDR934",
    "An object that workers need cannot be pickled",
    summary=(
        "The dataset, a transform or collate_fn holds something that cannot "
        "be pickled for the workers"
    ),
    remedies=_choose_remedies,
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
