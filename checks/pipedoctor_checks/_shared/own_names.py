"""Examples in the names of the user's own code, as far as its events tell them."""

import re

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
_STREAM = re.compile(r"\b(?:BytesIO|open|read)\(|^(?:f|fp|fh|fd|file|stream|buffer|buf)$")
"""Bytes or an open file where a path is wanted."""
_READ = re.compile(r"(?P<tensor>[A-Za-z_][\w.]*)\.(?:item|tolist|cpu|numpy)\(\)")


def choose_name(written: object, default: str) -> str:
    """The name that the code gives a value; `default` where that is none, or unknown."""
    text = written if isinstance(written, str) else ""
    return text if _IDENTIFIER.fullmatch(text) else default


def choose_attribute(written: object, default: str) -> str:
    """``self.h5`` from ``self.h5``, ``Rows.h5`` or ``h5``; `default` where that is unknown."""
    text = written if isinstance(written, str) else ""
    return f"self.{text.rpartition('.')[2]}" if _DOTTED.fullmatch(text) else default


def choose_expression(written: object, default: str) -> str:
    """``self.files[index]``; `default` where it is not written in full, or opens a stream."""
    text = written if isinstance(written, str) else ""
    whole = bool(text) and not text.endswith("...") and not _STREAM.search(text)
    return text if whole else default


def accumulate_on_device(read: str) -> str:
    """Code that sums up what ``loss.item()`` reads, without waiting for it."""
    match = _READ.fullmatch(read)
    tensor = match["tensor"] if match else "loss"
    total = f"{tensor.rpartition('.')[2]}_sum"
    return f"{total} = {total} + {tensor}.detach()  # 0 before the loop; {total}.item() after it"


def open_in_worker(attribute: str, opening: str) -> str:
    """Code that opens what an attribute holds in each worker, on first use."""
    pid = f"{attribute}_pid"
    return (
        "import os\n\n"
        f"{attribute} = {pid} = None  # in __init__\n\n"
        f"if {pid} != os.getpid():  # before each use\n"
        f"    {attribute}, {pid} = {opening}, os.getpid()"
    )
