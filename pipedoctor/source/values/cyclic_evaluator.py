"""
Evaluates each expression once, also where its value rests on itself.

A value that rests on an evaluation which is still under way is provisional: it is good
for the query at hand, and forgotten after it. What was found so several times is kept.
"""

import ast
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from typing import ClassVar

from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import UNKNOWN, Frame, Values

_MAX_DEPTH, _MAX_REPEATS = 60, 3
"""Evaluations of one expression whose value rests on itself."""
_MAX_VALUES = 40
"""What may be more things than these may be anything."""
_UNFOLLOWED_TYPES = frozenset((ast.Constant, ast.JoinedStr, ast.Compare))


class CyclicEvaluator(ABC):
    """Remembers what was evaluated, detects cycles, and stops where there is too much."""

    most_for_items: ClassVar[int] = 100_000
    """What is evaluated at most for functions that run for items; the rest is for loops."""
    most_in_all: ClassVar[int] = 130_000
    """Few projects need so many; in one that does the rest is left unknown."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Frame], Values] = {}
        self._provisional: dict[tuple[int, Frame], Values] = {}
        """What rests on a circle that is not closed yet; good for one question."""
        self._repeated: dict[tuple[int, Frame], tuple[Values, int]] = {}
        self._open_queries = 0
        self._active: dict[tuple[int, Frame], int] = {}
        self._lowest_cycle = _MAX_DEPTH + 1
        self._evaluations = 0
        self.most_evaluations = self.most_in_all
        """What may be used up by now: some is left for those who ask last."""

    def forget_values(self) -> None:
        """Forget all that was found."""
        for known in (self._known, self._provisional, self._repeated):
            known.clear()

    def is_settled(self, node: ast.expr, frame: Frame) -> bool:
        """Is the value of an expression final?"""
        return (id(node), frame) in self._known

    @abstractmethod
    def is_foreign(self, node: ast.Name | ast.Attribute, scope: CodeScope) -> bool:
        """Is it a name that nothing in the project gives a value?"""

    @abstractmethod
    def evaluate_name(self, node: ast.Name, frame: Frame) -> Values:
        """What a name may be."""

    @abstractmethod
    def evaluate_attribute_node(self, node: ast.Attribute, frame: Frame) -> Values:
        """What an attribute may be, as it is written."""

    @abstractmethod
    def evaluate_node(self, node: ast.expr, frame: Frame) -> Values:
        """What any other expression may be."""

    def evaluate(self, node: ast.expr | None, frame: Frame) -> Values:
        """What an expression may be."""
        if type(node) in _UNFOLLOWED_TYPES or node is None:
            return UNKNOWN
        key = (id(node), frame)
        known = self._known.get(key)
        if known is None and self._provisional:
            known = self._provisional.get(key)
        if known is not None:
            return known
        if isinstance(node, (ast.Name, ast.Attribute)) and self.is_foreign(node, frame.scope):
            self._known[key] = UNKNOWN
            return UNKNOWN
        depth = len(self._active)
        if key in self._active:
            self._lowest_cycle = min(self._lowest_cycle, self._active[key])
            return UNKNOWN
        if depth >= _MAX_DEPTH or self._evaluations >= self.most_evaluations:
            self._lowest_cycle = 0
            return UNKNOWN
        self._evaluations += 1
        self._active[key] = depth
        outer, self._lowest_cycle = self._lowest_cycle, _MAX_DEPTH + 1
        if isinstance(node, ast.Name):
            found = self.evaluate_name(node, frame)
        elif isinstance(node, ast.Attribute):
            found = self.evaluate_attribute_node(node, frame)
        else:
            found = self.evaluate_node(node, frame)
        if len(found) > _MAX_VALUES:
            found = UNKNOWN
        del self._active[key]
        if self._lowest_cycle >= depth:  # complete: it rests on nothing that is under way
            self._known[key] = found
            self._lowest_cycle = outer
        else:
            self._lowest_cycle = min(outer, self._lowest_cycle)
            self._provisional[key] = found
        if not depth and not self._open_queries and self._provisional:
            self._settle_provisional()
        return found

    def _settle_provisional(self) -> None:
        """Forget what rested on circles; keep what was found so again and again."""
        for key, found in self._provisional.items():
            before, count = self._repeated.get(key, (found, 0))
            merged = before | found
            self._repeated[key] = merged, count + 1
            if count + 1 >= _MAX_REPEATS:
                self._known[key] = merged
        self._provisional.clear()

    @contextmanager
    def open_query(self) -> Generator[None, None, None]:
        """All that is evaluated within is one query: cycles are resolved at its end."""
        self._open_queries += 1
        try:
            yield
        finally:
            self._open_queries -= 1
            if not self._open_queries and not self._active and self._provisional:
                self._settle_provisional()
