"""What stands beside a call in its loop: a clock that is read, a ``del``."""

import ast

from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope

_CLOCKS = frozenset(
    (
        *("time", "perf_counter", "monotonic", "process_time", "time_ns", "perf_counter_ns"),
        *("elapsed_time", "record", "tic", "toc", "timer", "default_timer"),
    )
)
"""What reads a clock, by its last name."""


def reads_clock(scope: CodeScope, step: CodeStep) -> bool:
    """Is the time taken in the same loop, or in the same function where there is none?"""
    around = step.context.loops[-1:]
    return any(
        isinstance(one.node, ast.Call)
        and last_name(one.node.func) in _CLOCKS
        and one.context.loops[-1:] == around
        for one in scope.calls
    )


def follows_del(scope: CodeScope, step: CodeStep) -> bool:
    """Does a ``del`` stand before it in the same loop: is memory given back at will?"""
    return any(
        one.context.loops == step.context.loops
        and getattr(one.node, "lineno", 0) < getattr(step.node, "lineno", 0)
        for one in scope.steps_by_type.get(ast.Delete, [])
    )
