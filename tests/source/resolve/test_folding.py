"""Conditions on constants have a value before anything runs."""

import ast

import pytest

from pipedoctor.source.resolve.folding import fold_constants

FOLDED = {
    "not True": False,
    "'train' == 'train'": True,
    "'val' in ('train', 'val')": True,
    "'val' not in ('train', 'val')": False,
    "3 if 2 > 1 else 4": 3,
    "0 or 5": 5,
    "True and 0": 0,
    "True and 7": 7,
    "None is None": True,
}
LEFT = ("x == 1", "not x", "1 < 'a'", "x or 1", "1 in x", "1 if x else 2", "f(1)")


@pytest.mark.parametrize(("text", "value"), FOLDED.items())
def test_constants_are_computed(text: str, value: object) -> None:
    node = fold_constants(ast.parse(text, mode="eval").body)
    assert isinstance(node, ast.Constant)
    assert node.value == value


@pytest.mark.parametrize("text", LEFT)
def test_what_is_not_known_stays(text: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert fold_constants(node) is node
