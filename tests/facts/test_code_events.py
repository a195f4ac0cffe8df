"""Kinds of events: the example of each is true, and their JSON is read by any version."""

import functools
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from click.testing import CliRunner

from pipedoctor.cli import main
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts, Source
from pipedoctor.facts.code_events import dataset, images, item, program, seeds, training
from pipedoctor.facts.code_events.details import (
    EventDetails,
    RecordedDetails,
    RewriteDetails,
    UnreadableEventError,
)
from pipedoctor.facts.code_events.kinds import EVENT_KINDS
from pipedoctor.facts.code_events.training import CacheRelease, FreshIterator, HostRead
from pipedoctor.facts.source import AnyEvent, Event, Loop, Spot
from pipedoctor.source.assemble import build_facts
from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.syntax.parse import parse_file

FAMILIES = (item, images, dataset, seeds, training, program)
HEAD = """\
import copy
import functools
import gc
import json
import os
import pickle
import random
import subprocess
import time

import cv2
import h5py
import numpy as np
import requests
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset
from torchvision import transforms
"""
ITEM = """
class Images(Dataset):
    def __init__(self, files, root):
        self.files, self.root, self.cache = files, root, {{}}

    def __getitem__(self, index):
{}
"""
LOADER = "loader = DataLoader(load_rows(), batch_size=8)\n"


def recorded_kinds() -> Iterator[type[RecordedDetails]]:
    """Every class that a detector can record."""
    for family in FAMILIES:
        for one in vars(family).values():
            if isinstance(one, type) and issubclass(one, RecordedDetails) and one.kind:
                yield one


KINDS = list(recorded_kinds())


@functools.cache
def read_example(kind: type[RecordedDetails]) -> Source:
    """Search the code in the docstring of a kind, as its module says how to complete it."""
    _, _, example = (inspect.getdoc(kind) or "").partition("\n\n")
    code = textwrap.dedent(example)
    if kind.__module__ in {item.__name__, images.__name__} and not code.startswith("class"):
        code = ITEM.format(textwrap.indent(code, " " * 8))
    if "loader = " not in code:
        code = f"{LOADER}{code}"
    text = f"{HEAD}{code}\n".encode()
    return build_facts([parse_file(SourceFile("train.py", text))])


def examples_of(kind: type[RecordedDetails]) -> list[AnyEvent]:
    return [event for event in read_example(kind).events if event.kind == kind.kind]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_example_is_such_an_event(kind: type[RecordedDetails]) -> None:
    events = examples_of(kind)

    assert events
    for event in events:
        names = [name for name in event.recorded if name in kind.__struct_fields__]
        required = [one.name for one in msgspec.structs.fields(kind) if one.required]
        assert [name for name in names if name in required] == required
        assert type(event.details) is EVENT_KINDS[kind.kind]
        more = event.recorded.keys() - {*names, *event.replacements, "dataset"}
        assert not more


@pytest.mark.parametrize("kind", EVENT_KINDS.values(), ids=lambda kind: kind.__name__)
def test_what_rewrites_add_has_one_type(kind: type[EventDetails]) -> None:
    added = {one.name: one.type for one in msgspec.structs.fields(RewriteDetails)}
    mine = {one.name: one.type for one in msgspec.structs.fields(kind) if not one.required}

    assert {name: mine[name] for name in mine.keys() & added.keys()} == {
        name: added[name] for name in mine.keys() & added.keys()
    }


def test_every_kind_has_a_name_of_its_own() -> None:
    assert len({kind.kind for kind in KINDS if issubclass(kind, EventDetails)}) == len(
        [kind for kind in KINDS if issubclass(kind, EventDetails)]
    )
    assert {kind.kind for kind in KINDS} == EVENT_KINDS.keys()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_json_comes_back_byte_for_byte(kind: type[RecordedDetails]) -> None:
    once = msgspec.json.encode(Facts(read_example(kind)).to_record())
    again = msgspec.json.encode(Facts.from_record(msgspec.json.decode(once)).to_record())

    assert again == once


def event_of(kind: str, **record: Any) -> AnyEvent:
    plain = {"kind": kind, "at": {"path": "train.py", "line": 3}, "loop": 0, "details": record}
    return cast("AnyEvent", msgspec.convert(plain, Event[Any]))


def test_unknown_keys_are_kept_and_not_read() -> None:
    event = event_of("empty-cache", color="blue", freed=True)

    assert event.details == CacheRelease(freed=True)
    assert msgspec.to_builtins(event)["details"] == {"color": "blue", "freed": True}


def test_an_unknown_kind_has_no_fields() -> None:
    event = event_of("time-travel", years=3)

    assert event.details == EventDetails()
    assert msgspec.to_builtins(event)["details"] == {"years": 3}
    assert Source(events=(event,)).select_events(CacheRelease, HostRead) == []


def test_what_an_older_version_did_not_record_is_empty() -> None:
    assert event_of("fresh-iterator").details == FreshIterator(
        repeats=False, known=False, loader=-1
    )
    assert event_of("sync", how="item").details == HostRead(
        in_loop=-1, how="item", host=False, raised=False
    )


def test_details_of_another_type_make_the_check_skip() -> None:
    event = event_of("empty-cache", freed="perhaps")
    reason = "source: event empty-cache: Expected `bool`, got `str` - at `$.freed`"
    with pytest.raises(UnreadableEventError) as caught:
        _ = event.details
    assert str(caught.value) == reason
    check = get_catalogue().find_check("empty-cache-in-loop")
    assert check is not None

    assert check.run(Facts(Source(events=(event,), loops=(Loop(at=event.at),)))).skipped == reason


def test_pieces_are_replaced_by_what_was_recorded_for_them() -> None:
    span = {"line": 1, "column": 1, "end_line": 1, "end_column": 5}
    plain = {
        "kind": "rebuilt",
        "at": {"path": "train.py", "line": 3},
        "details": {"before": "loader = None\n", "dataset": "Rows"},
        "spans": {"before": span, "moved": span},
    }
    event: AnyEvent = msgspec.convert(plain, Event[Any])

    assert event.replacements == {"before": "loader = None\n", "moved": ""}
    assert event.dataset == "Rows"
    assert event.at == Spot(path="train.py", line=3)


def test_a_report_of_a_newer_version_is_judged_and_kept(tmp_path: Path) -> None:
    code = f"{HEAD}{LOADER}for images, labels in loader:\n    torch.cuda.empty_cache()\n"
    (tmp_path / "train.py").write_text(code)
    options = ["--no-config", "--format", "json", "--select", "PDR408"]
    first = CliRunner().invoke(main, ["check", "--quick", *options, str(tmp_path)])
    report = msgspec.json.decode(first.stdout)
    source = report["facts"]["known"]["source"]
    (event,) = [one for one in source["events"] if one["kind"] == CacheRelease.kind]
    event["details"]["color"] = "blue"
    source["events"].append({**event, "kind": "time-travel", "details": {"years": 3}})
    newer = tmp_path / "report.json"
    newer.write_bytes(msgspec.json.encode(report))

    again = CliRunner().invoke(main, ["check", *options, "--from", str(newer)])

    assert again.exit_code == first.exit_code, again.output
    repeated = msgspec.json.decode(again.stdout)
    assert msgspec.json.encode(repeated["facts"]["known"]["source"]) == msgspec.json.encode(source)
    assert [one["evidence"] for one in repeated["findings"]] == [
        one["evidence"] for one in report["findings"]
    ]
    assert len(report["findings"]) == 1
