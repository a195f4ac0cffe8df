"""Questions that rest on one another are answered whole, however many they are."""

import ast
import sys
from collections import Counter

from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.cyclic_evaluator import CyclicEvaluator
from pipedoctor.source.values.lattice import UNKNOWN, Frame, LoaderValue, Values

RING = 450


class Ring(CyclicEvaluator):
    """Each question rests on the next one, and the last on the first."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[int] = Counter()

    def ask(self, number: int, _: None = None) -> Values:
        """What stands at a place, and at all that come after it."""
        return self.solve(("ring", number), self._compute, number, None)

    def _compute(self, number: int, _: None) -> Values:
        self.asked[number] += 1
        own = frozenset((LoaderValue(number),)) if number % 150 == 0 else UNKNOWN
        return own | self.ask((number + 1) % RING)

    def is_foreign(self, node: ast.Name | ast.Attribute, scope: CodeScope) -> bool:
        raise NotImplementedError

    def evaluate_name(self, node: ast.Name, frame: Frame) -> Values:
        raise NotImplementedError

    def evaluate_attribute_node(self, node: ast.Attribute, frame: Frame) -> Values:
        raise NotImplementedError

    def evaluate_node(self, node: ast.expr, frame: Frame) -> Values:
        raise NotImplementedError


def test_a_long_circle_is_answered_in_few_attempts_and_the_limit_stays() -> None:
    ring, limit = Ring(), sys.getrecursionlimit()
    whole = frozenset(map(LoaderValue, (0, 150, 300)))
    assert all(ring.ask(number) == whole for number in (75, 0, 449))
    assert max(ring.asked.values()) <= 3
    assert sys.getrecursionlimit() == limit
