"""Comments that say which findings to ignore: ``# pipedoctor: ignore[name]``."""

import ast
import re
from collections.abc import Iterator

from pipedoctor.facts.source import (
    Ignore,
)
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import (
    Module,
)

_IGNORE_COMMENT = re.compile(rb"#\s*pipedoctor:\s*ignore(?:\[([A-Za-z0-9_,\s-]*)\])?")


def find_ignore_comments(module: Module) -> Iterator[Ignore]:
    """The comments of a file, each with the names in its brackets."""
    if b"pipedoctor" not in module.file.content:
        return
    for number, line in enumerate(module.file.lines, 1):
        if b"pipedoctor" in line:
            match = _IGNORE_COMMENT.search(line)
            if match:
                names = (match[1] or b"").decode().replace(",", " ").split()
                node = ast.Pass(lineno=number, col_offset=match.start())
                yield Ignore(at=node_location(module, node), names=tuple(names))
