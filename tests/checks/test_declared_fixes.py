"""What a check declares of `pipedoctor fix` is what its code can hand out."""

import types
from collections.abc import Iterator
from typing import cast

from pipedoctor.check import Check
from pipedoctor.engine.catalogue import get_catalogue

REVERSIBLE = frozenset({"undo", "puts", "removes"})
CHECKS = list(get_catalogue().checks.values())


def reach(function: types.FunctionType, module: str) -> Iterator[types.CodeType]:
    """The code of a function and of those that it calls, of this module where one is named."""
    waiting, seen = [function], {function}
    while waiting:
        one = waiting.pop()
        for code in nested(one.__code__):
            yield code
            for name in code.co_names:
                called = one.__globals__.get(name)
                if (
                    isinstance(called, types.FunctionType)
                    and called not in seen
                    and called.__module__.startswith(module)
                ):
                    seen.add(called)
                    waiting.append(called)


def nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from nested(const)


def passes(check: Check[...], names: frozenset[str], module: str = "") -> bool:
    """Does its code give one of these arguments by name?"""
    return any(
        isinstance(const, tuple) and names & set(cast("tuple[object, ...]", const))
        for code in reach(cast("types.FunctionType", check.examine), module)
        for const in code.co_consts
    )


def find_fix(check: Check[...]) -> str:
    if passes(check, frozenset({"edits"}), check.examine.__module__):
        return "code"
    return "machine" if passes(check, REVERSIBLE) else ""


def test_the_declarations_fit_the_code() -> None:
    declared = {check.name: check.fix for check in CHECKS}

    assert declared == {check.name: find_fix(check) for check in CHECKS}
