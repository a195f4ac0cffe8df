"""
Find the DataLoaders in single files, and those of their arguments that are literals.

`loader_calls` follows arguments through a whole project, which takes many times as long
and needs every file of it. This one bounds what workers may need, of any file.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pipedoctor.source.discover.files import SourceFile, find_python_files
from pipedoctor.source.discover.folders import DEFAULT_EXCLUDE
from pipedoctor.source.resolve.loader_classes import LOADER_PARAMETERS, TORCH_LOADERS
from pipedoctor.source.syntax.walk import walk_branches

_CALL_PATTERN = re.compile(rb"DataLoader(?:\s|\\)*(?:\(|as\s)")
"""No call of one of these, nor another name for it, without such bytes."""
_NUM_WORKERS_POSITION = LOADER_PARAMETERS.index("num_workers")


MAX_WORKERS = 1 << 20


class LiteralLoaderCall(NamedTuple):
    """One call; None = not a literal, so nobody knows before it runs."""

    path: str
    line: int
    num_workers: int | None
    prefetch_factor: int | None
    persistent: bool

    @property
    def prefetched_batches(self) -> int:
        """Batches that wait at once, as far as it is known."""
        return (self.num_workers or 0) * (self.prefetch_factor or 2)


def find_loader_calls(
    paths: Sequence[str],
    *,
    gitignore: bool = True,
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE,
    stdin_source: SourceFile | None = None,
) -> list[LiteralLoaderCall]:
    """Every DataLoader call in these files and folders; raises UnreadableError."""
    sources = find_python_files(paths, gitignore=gitignore, exclude=exclude)
    given = [stdin_source] if stdin_source else []
    return [call for source in (*given, *sources) for call in loader_calls_in_file(source)]


def loader_calls_in_file(source: SourceFile) -> Iterator[LiteralLoaderCall]:
    """Those of one file; a file that no Python would run has none."""
    tree = _parse_or_none(source.text) if may_call_loader(source.text) else None
    if tree is not None:
        yield from loader_calls_in_tree(source.path, tree)


def may_call_loader(text: bytes) -> bool:
    """May this text contain a DataLoader call, so that it is worth parsing?"""
    return _CALL_PATTERN.search(text) is not None


def loader_calls_in_tree(path: str, tree: ast.Module) -> Iterator[LiteralLoaderCall]:
    """Those of a file that is parsed."""
    nodes = walk_branches(tree)
    imports = [one for one in nodes if isinstance(one, (ast.Import, ast.ImportFrom))]
    known = dict(alias for node in imports for alias in _imported_aliases(node))
    for node in nodes:
        if isinstance(node, ast.Call) and _full_name(node.func, known) in TORCH_LOADERS:
            yield _read_loader_call(path, node)


def _parse_or_none(text: bytes) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _imported_aliases(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What an import binds: a local name, and the full name behind it."""
    if isinstance(node, ast.Import):
        for item in node.names:
            top = item.name.partition(".")[0]
            yield (item.asname, item.name) if item.asname else (top, top)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for item in node.names:
            name = "DataLoader" if item.name == "*" else item.name
            if item.name != "*" or f"{node.module}.{name}" in TORCH_LOADERS:
                yield item.asname or name, f"{node.module}.{name}"


def _full_name(node: ast.expr, aliases: Mapping[str, str]) -> str:
    """``data.DataLoader`` with its imports undone; empty when it is no such name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in aliases:
        return ""
    return ".".join([aliases[node.id], *reversed(parts)])


def _read_loader_call(path: str, node: ast.Call) -> LiteralLoaderCall:
    given = {word.arg: word.value for word in node.keywords}
    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    if len(node.args) > _NUM_WORKERS_POSITION and not starred:
        given["num_workers"] = node.args[_NUM_WORKERS_POSITION]
    hidden = starred or None in given
    return LiteralLoaderCall(
        path=path,
        line=node.lineno,
        num_workers=_worker_count(given.get("num_workers"), None if hidden else 0),
        prefetch_factor=_worker_count(given.get("prefetch_factor"), None),
        persistent=_literal_value(given.get("persistent_workers")) is True,
    )


def _worker_count(node: ast.expr | None, default: int | None) -> int | None:
    if node is None:
        return default
    value = _literal_value(node)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MAX_WORKERS else None


def _literal_value(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None
