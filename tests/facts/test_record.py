"""Facts survive the way through a report and back."""

import json
import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipedoctor.facts import (
    SECTIONS,
    Fact,
    Facts,
    Filesystems,
    Loader,
    MalformedRecordError,
    Part,
    Shm,
)


def kinds(base: type[Any]) -> list[type[Any]]:
    return [k for sub in base.__subclasses__() for k in (sub, *kinds(sub))]


def made(kind: type[Any]) -> st.SearchStrategy[Any]:
    fields = {f.name: short(f.type) for f in msgspec.structs.fields(kind)}
    return st.builds(kind, **fields)


def short(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type, with few entries: records of code are lists of lists of structs."""
    args, origin = typing.get_args(kind), typing.get_origin(kind)
    if origin is tuple and args[1:] == (...,):
        return st.lists(st.deferred(lambda: short(args[0])), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(*map(short, args), max_size=2)
    if kind is Any:
        return st.none() | st.booleans() | st.integers() | st.text()
    if isinstance(origin, type) and issubclass(origin, msgspec.Struct):
        kind = origin
    return st.from_type(typing.cast("type[object]", kind))


st.register_type_strategy(int, st.integers(-(2**63), 2**63 - 1))
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
for struct in (*kinds(Fact), *kinds(Part)):
    st.register_type_strategy(struct, made)


@pytest.mark.parametrize("kind", SECTIONS.values(), ids=list(SECTIONS))
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_round_trip(kind: type[Fact], data: st.DataObject) -> None:
    facts = Facts(data.draw(made(kind)), unknown={"gpu": "libnvidia-ml.so.1 not found"})

    record = json.loads(msgspec.json.encode(facts.to_record()))
    again = Facts.from_record(record)

    assert again.get(kind) == facts.get(kind)
    assert again.unknown == facts.unknown


def test_what_is_not_there_says_why() -> None:
    facts = Facts(unknown={"shm": "only known on Linux"})

    assert facts.get(Shm) is None
    assert facts.get_unknown_reason(Shm) == "only known on Linux"
    assert facts.get_unknown_reason(Loader) == "not collected"


def test_newer_facts_win() -> None:
    old, new = Shm(size=1), Shm(size=2)

    assert Facts(old).merge(new).get(Shm) == new


def test_what_became_known_is_no_longer_unknown() -> None:
    facts = Facts(unknown={"shm": "why", "gpu": "why"}).merge(Shm(size=1))

    assert facts.unknown == {"gpu": "why"}


def test_tables_about_the_world_stay_at_home() -> None:
    assert Facts(Filesystems()).to_record()["known"] == {}


def test_sections_from_the_future_are_left_out() -> None:
    record = {"known": {"warp-core": {"heat": 3}, "shm": {"size": 7}}, "unknown": {}}

    assert Facts.from_record(record).get(Shm) == Shm(size=7)


def test_fields_from_the_future_are_left_out() -> None:
    record = {"known": {"shm": {"size": 7, "color": "blue"}}, "unknown": {}}

    assert Facts.from_record(record).get(Shm) == Shm(size=7)


def test_nonsense_is_named_with_its_place() -> None:
    record = {"known": {"shm": {"size": "big"}}, "unknown": {}}

    with pytest.raises(MalformedRecordError) as caught:
        Facts.from_record(record)

    assert str(caught.value) == ("facts.known.shm: Expected `int`, got `str` - at `$.size`")
