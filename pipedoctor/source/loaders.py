"""Find the DataLoaders in training code, and those arguments that are literals."""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pipedoctor.source.files import Source, python_files
from pipedoctor.source.folders import DEFAULT
from pipedoctor.source.walk import branches

CLASSES = {
    "torch.utils.data.DataLoader",
    "torch.utils.data.dataloader.DataLoader",
    "torchdata.stateful_dataloader.StatefulDataLoader",
}
_CALLED = re.compile(rb"DataLoader(?:\s|\\)*(?:\(|as\s)")
"""No call of one of these, nor another name for it, without such bytes."""
_POSITION = 5
"""DataLoader(dataset, batch_size, shuffle, sampler, batch_sampler, num_workers)"""


MOST_WORKERS = 1 << 20


class LoaderCall(NamedTuple):
    """One call; None = not a literal, so nobody knows before it runs."""

    path: str
    line: int
    num_workers: int | None
    prefetch_factor: int | None
    persistent: bool

    @property
    def waiting(self) -> int:
        """Batches that wait at once, as far as it is known."""
        return (self.num_workers or 0) * (self.prefetch_factor or 2)


def loader_calls(
    paths: Sequence[str],
    *,
    gitignore: bool = True,
    exclude: tuple[str, ...] = DEFAULT,
    typed: Source | None = None,
) -> list[LoaderCall]:
    """Every DataLoader call in these files and folders; raises Unreadable."""
    sources = python_files(paths, gitignore=gitignore, exclude=exclude)
    given = [typed] if typed else []
    return [call for source in (*given, *sources) for call in calls_in(source)]


def calls_in(source: Source) -> Iterator[LoaderCall]:
    """Those of one file; a file that no Python would run has none."""
    tree = _parsed(source.text) if may_call(source.text) else None
    if tree is not None:
        yield from calls_of(source.path, tree)


def may_call(text: bytes) -> bool:
    """Is it worth while to look into its syntax tree?"""
    return _CALLED.search(text) is not None


def calls_of(path: str, tree: ast.Module) -> Iterator[LoaderCall]:
    """Those of a file that is parsed."""
    nodes = branches(tree)
    known = dict(alias for node in nodes for alias in _aliases(node))
    for node in nodes:
        if isinstance(node, ast.Call) and _full_name(node.func, known) in CLASSES:
            yield _call(path, node)


def _parsed(text: bytes) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _aliases(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What an import binds: a local name, and the full name behind it."""
    if isinstance(node, ast.Import):
        for item in node.names:
            top = item.name.partition(".")[0]
            yield (item.asname, item.name) if item.asname else (top, top)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for item in node.names:
            name = "DataLoader" if item.name == "*" else item.name
            if item.name != "*" or f"{node.module}.{name}" in CLASSES:
                yield item.asname or name, f"{node.module}.{name}"


def _full_name(node: ast.expr, known: Mapping[str, str]) -> str:
    """``data.DataLoader`` with its imports undone; empty when it is no such name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in known:
        return ""
    return ".".join([known[node.id], *reversed(parts)])


def _call(path: str, node: ast.Call) -> LoaderCall:
    given = {word.arg: word.value for word in node.keywords}
    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    if len(node.args) > _POSITION and not starred:
        given["num_workers"] = node.args[_POSITION]
    hidden = starred or None in given
    return LoaderCall(
        path=path,
        line=node.lineno,
        num_workers=_count(given.get("num_workers"), None if hidden else 0),
        prefetch_factor=_count(given.get("prefetch_factor"), None),
        persistent=_literal(given.get("persistent_workers")) is True,
    )


def _count(node: ast.expr | None, default: int | None) -> int | None:
    if node is None:
        return default
    value = _literal(node)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MOST_WORKERS else None


def _literal(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None
