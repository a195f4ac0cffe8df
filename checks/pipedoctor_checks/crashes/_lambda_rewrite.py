"""A lambda of a log's code as a function at the top level of its module."""

import ast
import builtins
from collections.abc import Iterator

_USUAL_NAME = "apply"
_LOADER_ARGUMENTS = frozenset({"collate_fn", "worker_init_fn"})
_MODULES = frozenset(
    {"torch", "np", "numpy", "random", "math", "os", "cv2", "F", "T", "json", "re"}
)
"""What modules are called that every function of a file can read."""


def write_as_function(text: str, *, holder: str = "", caller: str = "") -> str:
    """
    Code that replaces the lambda at the start of `text`; empty: it is not all in this line.

    `holder` is what it is assigned to, `caller` what it is passed to. What it reads of the
    function around it becomes an argument that ``partial`` fills.
    """
    node = _parse_lambda(text)
    if node is None or node.args.vararg or node.args.kwarg or node.args.kwonlyargs:
        return ""
    params = [argument.arg for argument in node.args.args]
    free = [*dict.fromkeys(_list_free_names(node, {*params}))]
    name = holder.rpartition(".")[2] or _USUAL_NAME
    given = ", ".join(f"{one}={one}" for one in free)
    value = f"partial({name}, {given})" if free else name
    if holder in _LOADER_ARGUMENTS:
        target = f"DataLoader(..., {holder}={value})"
    else:
        target = f"{holder} = {value}" if holder else f"{caller}({value})"
    head = "from functools import partial\n\n\n" if free else ""
    mark = ["*"] if free and node.args.defaults else []
    signature = ", ".join([*_write_parameters(node), *mark, *free])
    return (
        f"{head}def {name}({signature}):  # at the top level of the module\n"
        f"    return {ast.unparse(node.body)}\n\n\n{target}  # instead of the lambda"
    )


def _parse_lambda(text: str) -> ast.Lambda | None:
    """The longest beginning that is a lambda, and nothing more."""
    text = text.strip()
    while text:
        try:
            node = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            node = None
        if isinstance(node, ast.Lambda):
            return node
        cut = max(text.rfind(mark) for mark in ",)]}#")
        text = text[:cut].rstrip() if cut > 0 else ""
    return None


def _write_parameters(node: ast.Lambda) -> Iterator[str]:
    """With their defaults."""
    arguments, defaults = node.args.args, node.args.defaults
    plain = len(arguments) - len(defaults)
    yield from (one.arg for one in arguments[:plain])
    for one, default in zip(arguments[plain:], defaults, strict=True):
        yield f"{one.arg}={ast.unparse(default)}"


def _list_free_names(node: ast.Lambda, params: set[str]) -> Iterator[str]:
    """Names of the function around it: neither called, nor of a module, nor built in."""
    body = [*ast.walk(node.body)]
    called = {id(one.func) for one in body if isinstance(one, ast.Call)}
    stored = {
        one.id for one in body if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    for one in body:
        if not isinstance(one, ast.Name) or id(one) in called:
            continue
        known = one.id in params | stored | _MODULES or hasattr(builtins, one.id)
        if not known and not one.id[:1].isupper():
            yield one.id
