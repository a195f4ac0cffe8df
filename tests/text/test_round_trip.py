"""A report that is judged again gives the findings that it has, redacted or not."""

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipedoctor.engine.catalogue import Catalogue, get_catalogue
from pipedoctor.facts import SECTIONS, Fact, Facts
from pipedoctor.pipeline import CheckPolicy, judge_facts, judge_record
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.report.json import render
from pipedoctor.report.model import Report

WHO = UserIdentity(users=("anna",), hosts=("zeus",), homes=("/home/anna",))
TEXTS = st.sampled_from(
    [
        *("", "2.1.0", "2.3.1+cu121", "12.1", "535.54.03", "450.51", "8.9.7", "3.8.1"),
        *("torch", "numpy", "torchvision", "pytorch", "pillow", "nvidia-cudnn-cu12"),
        *("conda", "pypi", "cuda", "linux", "docker", "ext4", "nfs4", "tmpfs", "data"),
        *("/home/anna/data", "/home/bob/.cache", "/dev/shm", "/usr/lib/libcudnn.so.8"),
        *("libcudnn.so.8", "GPU 0", "NVIDIA A100", "9.0", "sm_90", "text", "ENOSPC"),
        *("host zeus at 10.1.2.3", "anna", "hf_abcdefghijkl", "token=geheim", "0-3"),
        *("zeus:/export/data", "\x1b[31m", "No module named 'torch'", "é\u202e"),
    ]
)
NUMBERS = st.sampled_from([0, 1, 2, 9, 18, 64 << 20, 1 << 40, 1024, 65536])
FLOATS = st.sampled_from([0.0, 0.5, 1.0, 3.25, 1e9])


def strategy(kind: Any) -> st.SearchStrategy[Any]:  # noqa: PLR0911  (one a type)
    """Values of a field, by its type as msgspec tells it."""
    match kind:
        case msgspec.inspect.UnionType(types=types):
            return st.one_of(*map(strategy, types))
        case msgspec.inspect.VarTupleType(item_type=item):
            return st.lists(strategy(item), max_size=3).map(tuple)
        case msgspec.inspect.TupleType(item_types=items):
            return st.tuples(*map(strategy, items))
        case msgspec.inspect.ListType(item_type=item):
            return st.lists(strategy(item), max_size=3)
        case msgspec.inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(strategy(key), strategy(value), max_size=3)
        case msgspec.inspect.StructType(cls=cls):
            return struct(cls)
        case msgspec.inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case _:
            return PLAIN[type(kind)]


PLAIN: dict[type, st.SearchStrategy[Any]] = {
    msgspec.inspect.StrType: TEXTS,
    msgspec.inspect.IntType: NUMBERS,
    msgspec.inspect.FloatType: FLOATS,
    msgspec.inspect.BoolType: st.booleans(),
    msgspec.inspect.NoneType: st.none(),
}


def struct(cls: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    told = msgspec.inspect.type_info(cls)
    assert isinstance(told, msgspec.inspect.StructType)
    return st.builds(cls, **{field.name: strategy(field.type) for field in told.fields})


def together(drawn: list[Fact]) -> Facts:
    known = {fact.section: fact for fact in drawn}
    missing = {name: "why not" for name in SECTIONS if name not in known}
    return Facts(*known.values(), unknown=missing)


ONE = {name: struct(kind) for name, kind in SECTIONS.items()}
SOME = st.lists(st.one_of(*ONE.values()), max_size=6).map(together)


def both(catalogue: Catalogue, facts: Facts, level: RedactionLevel) -> tuple[Report, Report]:
    """What is found, and what is found in the report of it."""
    redactor = Redactor(level)
    redactor.set_identity(WHO)
    first = judge_facts(catalogue, facts, CheckPolicy(redactor=redactor), began=0.0)
    standards = CheckPolicy(redactor=Redactor(level))
    return first, judge_record(catalogue, render(first), None, standards)


def said(report: Report) -> str:
    kept = ("rank", "code", "severity", "summary", "evidence", "explains", "remedies")
    rows = [{key: getattr(e, key) for key in kept} for e in report.findings]
    return json.dumps(
        [msgspec.to_builtins(rows), list(report.healthy), _skipped(report)],
        sort_keys=True,
    )


def _skipped(report: Report) -> list[tuple[str, str]]:
    """
    Codes and reasons.

    A field of terms keeps a name that no term holds, and a reason that quotes it does
    not: this one is told by its alias in both.
    """
    return [
        (skip.code, re.sub(r"<[a-z]+-\d+>|zeus|10\.1\.2\.3", "<>", skip.reason))
        for skip in report.skipped
    ]


@pytest.mark.parametrize(
    "level",
    [
        RedactionLevel.ALL,
        pytest.param(RedactionLevel.NOTHING, marks=pytest.mark.extended),  # below: all together
    ],
)
@pytest.mark.parametrize("section", SECTIONS)
@settings(
    max_examples=settings().max_examples // 6,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_of_one_section(data: st.DataObject, section: str, level: RedactionLevel) -> None:
    facts = together([data.draw(ONE[section])])

    first, again = both(get_catalogue(), facts, level)

    assert said(first) == said(again)


@pytest.mark.parametrize(
    "level",
    [RedactionLevel.ALL, pytest.param(RedactionLevel.NOTHING, marks=pytest.mark.extended)],
)
@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(facts=SOME)
def test_of_several_sections(facts: Facts, level: RedactionLevel) -> None:
    first, again = both(get_catalogue(), facts, level)

    assert said(first) == said(again)
