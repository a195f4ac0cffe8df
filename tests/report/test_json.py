"""The report as other programs read it: strict, published, replayable."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import Facts, MalformedRecordError, Shm, TorchBuild
from pipedoctor.report.json import (
    EXPECTED_INPUT,
    MAX_REPORT_BYTES,
    build_schema,
    read_report,
    render,
)
from pipedoctor.report.model import Report

PUBLISHED = Path(__file__).parents[2] / "docs" / "report.schema.json"


def valid(report: dict[str, Any]) -> bool:
    try:
        jsonschema.validate(report, build_schema())
    except jsonschema.ValidationError:
        return False
    return True


def test_the_published_schema_is_current() -> None:
    assert json.loads(PUBLISHED.read_text("utf-8")) == build_schema()


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(build_schema())


def test_reports_fit_the_schema(ill: Report, well: Report) -> None:
    for report in (ill, well):
        jsonschema.validate(json.loads(render(report)), build_schema())


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (("schema",), "pipedoctor.report/2"),
        (("findings", 0, "severity"), "fatal"),
        (("findings", 0, "confidence"), "sure"),
        (("findings", 0, "rank"), "1"),
        (("findings", 0, "remedies", 0, "place"), "there"),
        (("findings", 0, "remedies", 0, "lasts"), "never"),
        (("findings", 1, "gain", "basis"), "guessed"),
        (("healthy",), "PDR701"),
        (("facts", "unknown", "gpu"), 3),
    ],
)
def test_the_schema_is_strict(ill: Report, at: tuple[Any, ...], value: Any) -> None:
    report = json.loads(render(ill))
    assert valid(report)
    inner = report
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value

    assert not valid(report)


@pytest.mark.parametrize("key", ["schema", "tool", "facts", "findings", "summary"])
def test_every_field_is_always_there(ill: Report, key: str) -> None:
    report = json.loads(render(ill))
    del report[key]

    assert not valid(report)


def test_the_fields_of_the_contract(ill: Report) -> None:
    report = json.loads(render(ill))

    assert report["schema"] == "pipedoctor.report/1"
    assert report["tool"]["name"] == "pipedoctor"
    assert report["summary"] == {"breaks": 1, "risks": 1, "slows": 0, "note": 0}
    assert report["findings"][1]["location"] == {
        "path": "train.py",
        "line": 12,
        "column": 1,
        "end_line": None,
        "end_column": None,
    }
    assert report["findings"][0]["location"] is None
    assert report["findings"][0]["explains"] == ["PDR902"]
    assert report["findings"][0]["remedies"][0] == {
        "title": "Grow /dev/shm to 2.8 GiB",
        "shell": "sudo mount -o remount,size=3019898880 /dev/shm",
        "argv": ["mount", "-o", "remount,size=3019898880", "/dev/shm"],
        "place": "here",
        "lasts": "boot",
        "root": True,
        "automatic": True,
        "undo": ["mount", "-o", "remount,size=67108864", "/dev/shm"],
        "verify": ["df", "-h", "/dev/shm"],
        "edits": [],
        "unsafe": "",
        "kept": "",
        "snippet": "",
        "puts": [],
        "removes": [],
    }


def test_a_terminal_obeys_nothing_of_it(ill: Report) -> None:
    odd = "a\x1b\x7f\x9b\u202e\u200b\ufeffé"
    report = msgspec.structs.replace(ill, created=odd)

    text = render(report).decode()

    assert r"a\u001b\u007f\u009b\u202e\u200b\ufeffé" in text
    assert json.loads(text)["created"] == odd


def record(**changed: Any) -> bytes:
    whole: dict[str, Any] = {
        "schema": "pipedoctor.report/1",
        "created": "2026-01-01T00:00:00Z",
        "facts": {"known": {"shm": {"size": 64}}, "unknown": {"gpu": "no driver"}},
    }
    return json.dumps(whole | changed).encode()


def test_a_record_is_read_back() -> None:
    facts, created = read_report(record())

    assert created == "2026-01-01T00:00:00Z"
    assert facts.get(Shm) == Shm(size=64)
    assert facts.unknown == {"gpu": "no driver"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_record_is_read_in_every_encoding(encoding: str) -> None:
    """PowerShell writes UTF-16 where it redirects, editors put a mark before UTF-8."""
    text = record(facts={"known": {"shm": {"size": 64}}, "unknown": {"gpu": "Größe ü"}}).decode()
    data = json.loads(text)

    facts, _ = read_report(json.dumps(data, ensure_ascii=False).encode(encoding))

    assert facts.get(Shm) == Shm(size=64)
    assert facts.unknown == {"gpu": "Größe ü"}


@pytest.mark.parametrize("cut", [2, 3, 101])
def test_a_record_in_utf16_that_is_cut_is_refused_in_a_line(cut: int) -> None:
    data = record().decode().encode("utf-16")[:cut]

    with pytest.raises(MalformedRecordError) as error:
        read_report(data)

    assert "\n" not in str(error.value)


def test_sections_and_fields_of_the_future_are_left_out() -> None:
    known = {"shm": {"size": 64, "color": "red"}, "warp_drive": {"x": 1}}

    facts, _ = read_report(record(facts={"known": known, "unknown": {}}, new=1))

    assert facts.to_record() == Facts(Shm(size=64)).to_record()


NOTHING = "no output of torch.utils.collect_env or its like in it"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "it is empty", id="empty"),
        pytest.param(b" \n", "it is empty", id="blank"),
        pytest.param(b"[]", NOTHING, id="a list"),
        pytest.param(record()[:-9], "Input data was truncated", id="truncated"),
        pytest.param(b"\x7fELF\x02", NOTHING, id="binary, by chance without zeros"),
        pytest.param(b"\x7fELF\x02\x00\x01", "binary data", id="binary"),
        pytest.param(bytes(9 << 20), "larger than 8 MiB: no ticket is", id="long"),
        pytest.param(b'{"a":' * 100_000, "nested too deeply", id="nested, in what we ignore"),
        pytest.param(
            b'{"facts":{"known":{"shm":{"size":' + b"[" * 100_000,
            "nested too deeply",
            id="nested, in a fact",
        ),
        pytest.param(
            record(schema="pipedoctor.report/2"),
            "Invalid enum value 'pipedoctor.report/2' - at `$.schema`",
            id="another schema",
        ),
        pytest.param(b"{}", "Object missing required field `schema`", id="another object"),
        pytest.param(
            record(facts={"known": {"shm": {"size": 1 << 64}}, "unknown": {}}),
            "it holds a number that no machine has",
            id="a number of more than 64 bits",
        ),
        pytest.param(
            record(facts={"known": {"shm": 3}, "unknown": {}}),
            "Expected `object`, got `int` - at `$.facts.known[...]`",
            id="a section that is none",
        ),
    ],
)
def test_what_is_no_report_is_refused_in_a_line(data: bytes, message: str) -> None:
    with pytest.raises(MalformedRecordError) as refused:
        read_report(data)

    assert str(refused.value) == EXPECTED_INPUT + message


def test_invalid_utf8_is_refused() -> None:
    with pytest.raises(MalformedRecordError, match="utf-8"):
        read_report(record(created="x").replace(b'"x"', b'"\xff"'))


def test_a_wrong_fact_is_named() -> None:
    with pytest.raises(MalformedRecordError) as refused:
        read_report(record(facts={"known": {"shm": {"size": "big"}}, "unknown": {}}))

    assert str(refused.value) == ("facts.known.shm: Expected `int`, got `str` - at `$.size`")


def test_one_byte_too_many_is_refused() -> None:
    fits = record() + b" " * (MAX_REPORT_BYTES - len(record()))
    assert read_report(fits)[1]

    with pytest.raises(MalformedRecordError, match="larger than 32 MiB"):
        read_report(fits + b" ")


def test_the_text_of_collect_env_is_read(snapshot: SnapshotAssertion) -> None:
    facts, origin = read_report(b"\nPyTorch version: 2.9.1+cu126\nIs CUDA available: True\n")

    assert origin == snapshot
    torch = facts.get(TorchBuild)
    assert torch is not None
    assert torch.cuda == "12.6"
    assert facts.get_unknown_reason(Shm) == snapshot


@pytest.mark.parametrize(
    "head", [b"Collecting environment information...\n", b"\nPyTorch version: 2.9\n"]
)
def test_a_text_that_tells_nothing_is_refused(head: bytes) -> None:
    with pytest.raises(MalformedRecordError, match=f"{NOTHING}$"):
        read_report(head)
