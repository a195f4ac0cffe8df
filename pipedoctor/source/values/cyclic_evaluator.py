"""
Answers each question once, also where the answer rests on itself.

An answer that rests on questions which are still open is worked out from what is known of
them so far, starting with nothing, until it stays the same: only then is it kept. So it does
not matter which of several questions that rest on one another is asked first. Where questions
lie too deep within one another, the innermost is asked on its own, and the first one again.
"""

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, TypeAlias, TypeVar

from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.call_room import allow_more_calls
from pipedoctor.source.values.lattice import UNKNOWN, Frame, Values

Question: TypeAlias = tuple[object, object]
"""An expression, by its identity, in a frame; or another question about values."""
First = TypeVar("First")
Second = TypeVar("Second")

_MAX_DEPTH = 500
"""Questions within questions: large projects of models have circles of some hundred."""
_PLAIN_DEPTH = 48
"""About as many of them as Python calls within its limit."""
_MAX_ATTEMPTS = 6
"""At an answer that rests on itself: tuples of tuples may grow without end."""
_MAX_RESTARTS = 200
"""Of one question, because others lie too deep within it."""
_MAX_VALUES = 40
"""What may be more things than these may be anything."""
_UNFOLLOWED_TYPES = frozenset((ast.Constant, ast.JoinedStr, ast.Compare))


@dataclass(eq=False, slots=True)
class _Circle:
    """Answers that rest on the same open questions: on which at the outermost."""

    lowest: int
    begin: int
    """Where its answers begin among all that rest on open questions."""
    outer: "_Circle | None" = None
    """The larger one that it has become a part of."""

    def find_outermost(self) -> "_Circle":
        """The one that is a part of no other."""
        found = self
        while found.outer is not None:
            found = found.outer
        if found is not self:
            self.outer = found
        return found


_Draft: TypeAlias = tuple[Values, _Circle]
"""An answer that rests on open questions."""


class CyclicEvaluator(ABC):
    """Remembers what was evaluated, solves cycles, and stops where there is too much."""

    most_for_items: ClassVar[int] = 100_000
    """What is evaluated at most for functions that run for items; the rest is for loops."""
    most_in_all: ClassVar[int] = 130_000
    """Few projects need so many; in one that does the rest is left unknown."""

    def __init__(self) -> None:
        self._known: dict[Question, Values] = {}
        self._drafts: dict[Question, _Draft] = {}
        """Answers that rest on questions which are open."""
        self._draft_order: list[Question] = []
        """Their questions in the order of the answers: the newest are asked for, and dropped."""
        self._circles: list[_Circle] = []
        """Those of the answers, in their order, that are a part of no other."""
        self._assumed: dict[Question, Values] = {}
        """What is known so far of open questions that rest on themselves."""
        self._open: dict[Question, int] = {}
        """Questions that are being worked out, and how deep."""
        self._circular: set[Question] = set()
        """Those of them that were asked again within themselves."""
        self._lowest = _MAX_DEPTH + 1
        """The outermost open question that the present one rests on; -1: on a bound."""
        self._unstable = False
        """Has an assumption changed since the present attempt began?"""
        self._too_deep: dict[Question, Callable[[], Values]] = {}
        self.evaluations = 0
        """How many answers were worked out, each attempt for itself."""
        self.most_evaluations = self.most_in_all
        """What may be used up by now: some is left for those who ask last."""

    def forget_values(self) -> None:
        """Forget all that was found."""
        self._known.clear()

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
        if node is None or type(node) in _UNFOLLOWED_TYPES:
            return UNKNOWN
        key = (id(node), frame)
        known = self._known.get(key)
        if known is not None:
            return known
        if isinstance(node, (ast.Name, ast.Attribute)) and self.is_foreign(node, frame.scope):
            self._known[key] = UNKNOWN
            return UNKNOWN
        if isinstance(node, ast.Name):
            return self._answer(key, self.evaluate_name, node, frame)
        if isinstance(node, ast.Attribute):
            return self._answer(key, self.evaluate_attribute_node, node, frame)
        return self._answer(key, self.evaluate_node, node, frame)

    def solve(
        self,
        key: Question,
        compute: Callable[[First, Second], Values],
        first: First,
        second: Second,
    ) -> Values:
        """The answer to a question: what is known, or what `compute` makes of the two."""
        known = self._known.get(key)
        return known if known is not None else self._answer(key, compute, first, second)

    def _answer(
        self,
        key: Question,
        compute: Callable[[First, Second], Values],
        first: First,
        second: Second,
    ) -> Values:
        """The answer to a question that is not known yet."""
        opened = self._open.get(key)
        if opened is not None:
            self._circular.add(key)
            self._lowest = min(self._lowest, opened)
            return self._assumed.get(key, UNKNOWN)
        draft = self._drafts.get(key)
        if draft is not None:
            values, circle = draft
            self._lowest = min(self._lowest, circle.find_outermost().lowest)
            return values
        depth = len(self._open)
        if self.evaluations >= self.most_evaluations:
            self._lowest = -1
            return UNKNOWN
        if depth >= _MAX_DEPTH:
            self._too_deep[key] = partial(self._work_out, key, compute, first, second)
            self._lowest = -1
            return UNKNOWN
        if depth == _PLAIN_DEPTH:
            with allow_more_calls():
                return self._work_out(key, compute, first, second)
        found = self._work_out(key, compute, first, second)
        if not depth:
            if self._too_deep:
                again = partial(self._work_out, key, compute, first, second)
                found = self._ask_deep_ones(key, again)
            self._forget_drafts()
        return found

    def _work_out(
        self,
        key: Question,
        compute: Callable[[First, Second], Values],
        first: First,
        second: Second,
    ) -> Values:
        """Attempt it until nothing changes that it rests on."""
        depth, begin = len(self._open), len(self._draft_order)
        outer, self._open[key] = self._lowest, depth
        unstable, attempts = self._unstable, 0
        while True:
            self.evaluations += 1
            attempts += 1
            self._lowest, self._unstable = _MAX_DEPTH + 1, False
            found = compute(first, second)
            if len(found) > _MAX_VALUES:
                found = UNKNOWN
            if self._lowest > depth:  # it rests on no open question
                self._known[key] = found
                break
            if key in self._circular and found != self._assumed.get(key, UNKNOWN):
                self._assumed[key] = found
                self._unstable = True
            if self._lowest < depth:  # the outer one decides
                self._keep_draft(key, found, begin)
                unstable = unstable or self._unstable
                break
            drafts = self._take_drafts(begin)
            if not self._unstable or attempts == _MAX_ATTEMPTS:
                self._known.update(drafts)
                self._known[key] = found
            if key in self._known:
                break
        self._lowest = min(outer, self._lowest) if self._lowest < depth else outer
        self._unstable = unstable
        self._circular.discard(key)
        del self._open[key]
        return found

    def _keep_draft(self, key: Question, found: Values, begin: int) -> None:
        """Keep what rests on outer questions, and what rests on it with it."""
        place = begin if key in self._circular else len(self._draft_order)
        circle = _Circle(self._lowest, place)
        while self._circles and self._circles[-1].begin >= place:
            self._circles.pop().outer = circle
        self._circles.append(circle)
        self._drafts[key] = (found, circle)
        self._draft_order.append(key)

    def _take_drafts(self, begin: int) -> list[tuple[Question, Values]]:
        """Drop the newest answers that rest on open questions, and give what they say."""
        newest = self._draft_order[begin:]
        del self._draft_order[begin:]
        while self._circles and self._circles[-1].begin >= begin:
            self._circles.pop()
        return [(one, self._drafts.pop(one)[0]) for one in newest]

    def _ask_deep_ones(self, key: Question, again: Callable[[], Values]) -> Values:
        """Ask those on their own that lie too deep within a question, and then it again."""
        asked = {key: again, **self._too_deep}
        found, left = UNKNOWN, _MAX_RESTARTS
        while asked:
            one, ask = next(reversed(asked.items()))
            found = self._known.get(one, UNKNOWN)
            if one not in self._known:
                self._forget_drafts()
                self._too_deep = {}
                found = ask()
                deeper = {k: its for k, its in self._too_deep.items() if k not in asked}
                if deeper and left:
                    left -= 1
                    asked.update(deeper)
                    continue
                if self.evaluations < self.most_evaluations:
                    self._known[one] = found  # all that lies deeper is being asked already
            del asked[one]
        self._too_deep = {}
        return found

    def _forget_drafts(self) -> None:
        self._drafts.clear()
        self._draft_order.clear()
        self._circles.clear()
        self._assumed.clear()
        self._lowest = _MAX_DEPTH + 1
        self._unstable = False
