"""Examples in the names of the user's own code, as far as its events tell them."""

import ast
import re
from collections.abc import Sequence

from pipedoctor.lazy_pattern import compile_lazily

_IDENTIFIER = compile_lazily(r"[A-Za-z_]\w*")
_DOTTED = compile_lazily(r"[A-Za-z_][\w.]*")
_STREAM = compile_lazily(r"\b(?:BytesIO|open|read)\(|^(?:f|fp|fh|fd|file|stream|buffer|buf)$")
"""Bytes or an open file where a path is wanted."""
_READ = compile_lazily(r"(?P<tensor>[A-Za-z_][\w.]*)\.(?:item|tolist|cpu|numpy)\(\)")


def choose_name(name: object, default: str) -> str:
    """The name that the code gives a value; `default` where that is none, or unknown."""
    text = name if isinstance(name, str) else ""
    return text if _IDENTIFIER.fullmatch(text) else default


def choose_attribute(name: object, default: str) -> str:
    """``self.h5`` from ``self.h5``, ``Rows.h5`` or ``h5``; `default` where that is unknown."""
    text = name if isinstance(name, str) else ""
    return f"self.{text.rpartition('.')[2]}" if _DOTTED.fullmatch(text) else default


def choose_expression(expression: object, default: str) -> str:
    """``self.files[index]``; `default` where it is not written in full, or opens a stream."""
    text = expression if isinstance(expression, str) else ""
    whole = bool(text) and not text.endswith("...") and not _STREAM.search(text)
    return text if whole else default


def read_first_argument(call: str) -> str:
    """``self.files[index]`` of ``np.load(self.files[index])``; empty: a stream, or unknown."""
    try:
        node = ast.parse(call, mode="eval").body
    except SyntaxError:
        return ""
    given = node.args[0] if isinstance(node, ast.Call) and node.args else None
    return "" if given is None else choose_expression(ast.unparse(given), "")


def name_array_file(path: str) -> str:
    """Code that names a file of an array beside another file."""
    return f"str({path}) + '.npy'"


def accumulate_on_device(expression: str, total: str = "") -> str:
    """
    Code that sums up what ``loss.item()`` reads, without a wait; empty: nothing so plain.

    `total`: what the code itself adds it to.
    """
    match = _READ.fullmatch(expression)
    if match is None:
        return ""
    tensor = match["tensor"]
    if total:
        return f"{total} += {tensor}.detach()  # {total}.item() after the loop"
    total = f"{tensor.rpartition('.')[2]}_sum"
    return f"{total} = {total} + {tensor}.detach()  # 0 before the loop; {total}.item() after it"


def open_in_worker(attribute: str, opening: str, variables: Sequence[str] = ()) -> str:
    """
    Code that opens what an attribute holds in each worker, on first use.

    `variables`: those of ``__init__`` that the opening needs.
    """
    pid = f"{attribute}_pid"
    kept = "".join(f"self.{name} = {name}  # in __init__\n" for name in variables)
    for name in variables:
        opening = re.sub(rf"(?<![\w.'\"]){name}(?![\w'\"]|\s*=[^=])", f"self.{name}", opening)
    return (
        f"import os\n\n{kept}"
        f"{attribute} = {pid} = None  # in __init__\n\n"
        f"if {pid} != os.getpid():  # before each use\n"
        f"    {attribute}, {pid} = {opening}, os.getpid()"
    )
