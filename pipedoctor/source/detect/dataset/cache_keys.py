"""Caches that are searched for one key, and filled under another."""

import ast

from pipedoctor.facts.code_events.item import CacheKeyMismatch
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import unparse_short
from pipedoctor.source.syntax.scope import CodeScope


def record_missed_keys(recorder: EventRecorder, scope: CodeScope) -> None:
    """``if a not in cache: cache[b] = ...``: looked up by one key, kept by another."""
    for step in scope.steps_by_type.get(ast.If, []):
        node = step.node
        if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
            continue
        test = node.test
        if len(test.ops) != 1 or not isinstance(test.ops[0], ast.NotIn):
            continue
        cache, key = _dump_node(test.comparators[0]), _dump_node(test.left)
        stored = [
            (target, one)
            for part in node.body
            for one in ast.walk(part)
            if isinstance(one, ast.Assign)
            for target in one.targets
            if isinstance(target, ast.Subscript) and _dump_node(target.value) == cache
        ]
        if len(stored) == 1 and _dump_node(stored[0][0].slice) != key:
            target, one = stored[0]
            if isinstance(test.left, (ast.Name, ast.Attribute)) and not isinstance(
                target.slice, (ast.Name, ast.Attribute)
            ):
                where = ast.Pass(
                    lineno=test.lineno,
                    col_offset=test.col_offset,
                    end_lineno=one.end_lineno,
                    end_col_offset=one.end_col_offset,
                )
                recorder.add_event(
                    CacheKeyMismatch(
                        asked=unparse_short(test.left), kept=unparse_short(target.slice)
                    ),
                    scope,
                    step,
                    unparse_short(test.comparators[0]),
                    node=where,
                )


def _dump_node(node: ast.AST) -> str:
    """
    The dumped syntax tree, equal for equal expressions.

    Unique where it is nested too deep to dump.
    """
    try:
        return ast.dump(node)
    except RecursionError:
        return f"<{id(node)}>"
