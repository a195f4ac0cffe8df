"""
Verdicts about real training loops: recorded ones always, live ones on demand.

One live loop is in test_watch.py.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipedoctor.cli.watch import command
from pipedoctor.watch.output.recording import read_recording
from pipedoctor.watch.output.sample_line import build_sample
from tests.watch.loops.scores import LABELS, ONE_OF_EACH, RECORDINGS, score

EXPECTED: dict[str, dict[str, Any]] = json.loads((RECORDINGS / "expected.json").read_text("utf-8"))
MAX_RECORDING_BYTES = 60_000


def check_lines(lines: list[dict[str, Any]], report: dict[str, Any]) -> None:
    """From 5 s on every line has a verdict, and the report has one bottleneck."""
    assert [f for f in report["findings"] if "bottleneck" in f["name"]][1:] == []
    late = [line for line in lines if line["seconds"] >= 5]
    assert late
    assert all(line["verdict"] and line["confidence"] for line in late)
    assert not any("verdict" in line for line in lines if line not in late)


def judge(name: str, folder: Path) -> None:
    result = score(name, folder)

    last = result.lines[-1]
    seen = {key: last.get(key) for key in ("why", "workers", "fetch", "kernel")}
    assert result.right, (name, result.verdict, seen, result.report["findings"])
    assert result.line_right is not False, (result.line, seen)
    check_lines(result.lines, result.report)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_recording_of_each_class(name: str) -> None:
    path = RECORDINGS / f"{name}.jsonl"
    done = CliRunner().invoke(command, ["--replay", str(path), "--format", "json"])
    assert done.exit_code == 0, done.output
    *lines, report = map(json.loads, done.stdout.splitlines())

    assert len({line["seconds"] for line in lines}) == len(lines)
    (first, *_) = (f for f in report["findings"] if f["name"].startswith("bottleneck-"))
    assert first["name"] == EXPECTED[name]["verdict"]
    if EXPECTED[name]["line"] is not None:
        assert first["location"]["line"] == EXPECTED[name]["line"]
    check_lines(lines, report)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_the_facts_of_a_recording_give_its_verdict(name: str) -> None:
    """The lines of a recording are as they were; these are written from its facts again."""
    entries = list(read_recording(str(RECORDINGS / f"{name}.jsonl")))
    again = [build_sample(facts) for _, facts in entries if facts is not None]

    late = [line for line in again if line["seconds"] >= 5]
    assert late
    assert {line["verdict"] for line in late} == {EXPECTED[name]["verdict"]}
    assert {line["confidence"] for line in late} <= {"likely", "possible"}


def test_recordings_are_small_and_redacted() -> None:
    assert {p.stem for p in RECORDINGS.glob("*.jsonl")} == set(ONE_OF_EACH)
    for path in RECORDINGS.glob("*.jsonl"):
        text = path.read_text("utf-8")
        assert len(text) < MAX_RECORDING_BYTES, path
        assert not any(word in text for word in ("/home/", "/root/", "/wt/", "/work/")), path


@pytest.mark.loops
@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("name", LABELS)
def test_every_loop(name: str, tmp_path: Path) -> None:
    judge(name, tmp_path)


def test_each_cause_has_two_loops() -> None:
    for cause in set(LABELS.values()):
        assert list(LABELS.values()).count(cause) >= 2, cause
    assert len(LABELS) >= 40
