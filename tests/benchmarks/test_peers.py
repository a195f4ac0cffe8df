"""The rules by which the comparison with other tools is judged; nothing is timed."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "peers"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


judge, page = load("judge"), load("page")


@pytest.mark.parametrize(
    ("ill", "said"),
    [
        pytest.param("torch 2.13\nshm: 24 GB", "SILENT", id="nothing new"),
        pytest.param("torch 2.13\nshm: 64 MB", "SHOWS", id="a fact without a verdict"),
        pytest.param("shm: 64 MB is too small", "REPORTS", id="a verdict"),
        pytest.param("Warning:\n\nSHM is 64 MB", "REPORTS", id="two lines above"),
        pytest.param("Warning:\n\n\nshm is 64 MB", "SHOWS", id="three lines above"),
        pytest.param("shm: 64 MB\n\nlow", "REPORTS", id="two lines below"),
        pytest.param("shm: 64 MB\n\n\nlow", "SHOWS", id="three lines below"),
        pytest.param("no network: error", "SILENT", id="about something else"),
        pytest.param("shm 64 MB\nold warning", "SHOWS", id="the word was there before"),
        pytest.param("ERROR: ld.so: object 'shm' cannot be preloaded", "SILENT", id="the loader"),
        pytest.param("Traceback (most recent call last)\nshm error", "CRASHES", id="a crash"),
        pytest.param("shm error took 9.01 s", "REPORTS", id="with a time"),
    ],
)
def test_a_peer_reports_what_it_judges(ill: str, said: str) -> None:
    clean = "torch 2.13\nshm: 24 GB\nold warning"

    assert judge.judge_peer("shm", clean, ill, code=1).name == said


def test_times_and_dates_are_nothing_new() -> None:
    clean = "shm error after 1.5 s at 2026-01-01T00:00:00Z"
    ill = "shm error after 2.25 s at 2026-01-02T10:00:00Z"

    assert judge.judge_peer("shm", clean, ill, code=0).name == "SILENT"


def test_a_traceback_that_ends_nothing_is_no_crash() -> None:
    ill = "Traceback (most recent call last)\nshm error"

    assert judge.judge_peer("shm", "", ill, code=0).name == "REPORTS"
    assert judge.judge_peer("shm", ill, ill, code=1).name == "CRASHES"


def test_who_does_not_end_hangs() -> None:
    assert judge.judge_peer("shm", "", "shm error", code=None).name == "HANGS"
    assert judge.judge_pipedoctor(["shm-too-small"], "{}", code=None).name == "HANGS"


@pytest.mark.parametrize(
    ("name", "severity", "said"),
    [
        ("shm-too-small", "risks", "REPORTS"),
        ("shm-too-small", "note", "NOTES"),
        ("disk-full", "breaks", "SILENT"),
    ],
)
def test_ours_is_asked_for_the_name(name: str, severity: str, said: str) -> None:
    report = json.dumps({"findings": [{"name": name, "severity": severity}]})

    assert judge.judge_pipedoctor(["shm-too-small"], report, code=0).name == said


@pytest.mark.parametrize("output", ["", "Traceback", "{"])
def test_ours_without_a_report_has_crashed(output: str) -> None:
    assert judge.judge_pipedoctor(["shm-too-small"], output, code=1).name == "CRASHES"


def test_alarms_are_lines_without_colors() -> None:
    output = "\x1b[93m [WARNING] \x1b[0m  no aio\nfine\n0 fatal [WARNING]"

    found = judge.find_alarms(output, re.compile(r"WARNING"), re.compile("0 fatal"))

    assert found == ["[WARNING] no aio"]


def test_leaks_are_words_that_stand_there() -> None:
    assert judge.find_leaks("home/alice", ["alice", "token"]) == ["alice"]


def test_timings_stand_fastest_first() -> None:
    slow = page.CommandTiming(name="slow", walls=[3, 1, 2], peaks=[1 << 20], code=None)
    fast = page.CommandTiming(name="fast", walls=[0.5], peaks=[2 << 20], code=0)

    assert page.timing_table([slow, fast])[2:] == [
        "| `fast` | 0.50 | 0.50 to 0.50 | 2 | 0 |",
        "| `slow` | 2.00 | 1.00 to 3.00 | 1 | cut |",
    ]


def test_rows_are_counted_and_told_where_we_are_behind() -> None:
    yes = "**yes**"
    rows = [
        page.PeerRow(title="a", cells={"us": yes, "them": "shows"}, real="yes"),
        page.PeerRow(title="b", cells={"us": "note", "them": yes}, remark="harmless"),
        page.PeerRow(title="c", cells={"us": "·", "them": "hangs"}),
    ]

    assert page.count_reported(rows, ["us", "them"]) == {"us": 1, "them": 1}
    assert page.tool_matrix(rows, ["us", "them"], "fault")[2] == "| a | yes | **yes** | shows |"
    assert page.tool_matrix(rows[1:], ["us"], "asked")[2] == "| b | note |"
    assert page.list_missed_rows(rows, "us") == [
        "- b: them reports it, `us` does not (harmless).",
        "- c: nobody reports it, `us` does not.",
    ]
