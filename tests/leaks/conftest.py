"""Two hundred planted secrets of twenty kinds, and a machine that tells all of them."""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
import pytest

from pipedoctor.facts.record import KINDS
from pipedoctor.redact import VOCABULARY, Who

TABLE: dict[str, list[tuple[str, str]]] = json.loads(
    (Path(__file__).parent / "canaries.json").read_text("utf-8")
)
SECRET = (
    "password in an address",
    "token in an address",
    "password in a setting",
    "key in a setting",
    "token of a hub",
    "token of a cloud",
    "bearer",
    "private key",
    "webhook",
)
"""Kinds that leave every field; the others leave all but those that hold terms."""
_MOST = 2
"""Members of each list."""


@pytest.fixture
def who() -> Who:
    """Whose machine it is."""
    return Who(
        users=("zephyrine",),
        hosts=("quokkabox.lab.example.org",),
        homes=("/gpfs/hq/zephyrine",),
    )


@pytest.fixture(scope="session")
def planted() -> Callable[[int], tuple[dict[str, Any], set[str]]]:
    """
    Facts in which every text is a canary, and what must not be seen of them.

    Over twenty rounds every field meets every kind.
    """

    def plant(number: int) -> tuple[dict[str, Any], set[str]]:
        turns = itertools.count(number)
        seen: set[str] = set()

        def text(field: str) -> str:
            turn = next(turns)
            kinds = SECRET if field in VOCABULARY else tuple(TABLE)
            row = TABLE[kinds[turn % len(kinds)]]
            said, secret = row[turn // len(kinds) % len(row)]
            seen.add(secret)
            return said

        known = {kind.section: _filled(kind, "", text) for kind in KINDS}
        return {"known": known, "unknown": {"log": text("")}}, seen

    return plant


def _filled(  # noqa: PLR0911  (one for each kind of type)
    kind: Any, field: str, text: Callable[[str], str]
) -> Any:
    """A value of this type, full of what `text` gives for its fields."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is str:
        return text(field)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return {
            f.encode_name: _filled(f.type, f.encode_name, text)
            for f in msgspec.structs.fields(kind)
        }
    if origin is Literal:
        return arguments[0]
    if origin is tuple:
        members = [a for a in arguments if a is not ...]
        if arguments[-1] is ...:
            members *= _MOST
        return [_filled(member, field, text) for member in members]
    if origin is dict:
        return {f"k{n}": _filled(arguments[1], field, text) for n in range(_MOST)}
    if arguments:  # a union: its longest member, so a text before nothing
        return _filled(_richest(arguments), field, text)
    return {int: 7, float: 0.5, bool: True, type(None): None}[kind]


def _richest(arguments: tuple[Any, ...]) -> Any:
    return next((a for a in _by_wealth(arguments)), None)


def _by_wealth(arguments: tuple[Any, ...]) -> Iterator[Any]:
    yield from (
        a for a in arguments if isinstance(a, type) and issubclass(a, msgspec.Struct)
    )
    yield from (a for a in arguments if get_origin(a) is not None)
    yield from (a for a in (str, float, int, bool) if a in arguments)


@pytest.fixture(scope="session")
def table() -> dict[str, list[tuple[str, str]]]:
    return TABLE
