"""What is written can be read back; nothing else is taken for a measurement."""

import json

import pytest
from msgspec.structs import replace

from pipedoctor.bench import document, markdown, text
from pipedoctor.bench.result_table import ResultSheet, build_closing_notes
from pipedoctor.engine.measurements import merge_measurements
from pipedoctor.facts import (
    BenchDecode,
    BenchDisk,
    Cpu,
    DataSet,
    DataSets,
    Facts,
    Host,
    MalformedRecordError,
    Pipeline,
    Quality,
    Shm,
)
from pipedoctor.facts import ColdRead as Cold
from pipedoctor.facts.bench_decode import Images
from tests.tune.seen import pipeline

HOST = Host(model="Acme 9", cpus=8, effective=8)
AWAY = "it was measured on another machine: Acme 9, 8 CPUs"
DECODE = BenchDecode(host=HOST, images=Images(count=1, bytes=10))
DEEP = b'{"schema": "pipedoctor.report/1", "facts": {"known": {"x": {"y": ' + b"[" * 9**5
READ = Cold(files=1, bytes=1, seconds=1.0, open_seconds=0.0, cold=True)
DISK = BenchDisk(host=HOST, dataset=DataSet(path="/data", cold_read=READ))


def test_round_trip() -> None:
    data = document.render(Facts(DECODE), conclusions=("x",), seconds=1.23456)

    assert document.read_measurements(data) == [DECODE]
    plain = json.loads(data)
    assert plain["schema"] == "pipedoctor.measurement/1"
    assert plain["said"] == ["x"]
    assert plain["seconds"] == 1.235


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_as_windows_writes_it(encoding: str) -> None:
    data = document.render(Facts(DECODE), conclusions=(), seconds=1.0)

    assert document.read_measurements(data.decode().encode(encoding)) == [DECODE]


def test_only_measurements_are_taken_of_a_report() -> None:
    facts = Facts(DECODE, Shm(size=1)).to_record()
    report = {"schema": "pipedoctor.report/1", "facts": facts}

    assert document.read_measurements(json.dumps(report).encode()) == [DECODE]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{}", "expected the output of `pipedoctor bench --format json`: "),
        (b"\xff", "expected the output of"),
        (DEEP, "nested too deeply"),
        (bytes((32 << 20) + 1), "larger than 32 MiB"),
        (
            b'{"schema": "pipedoctor.report/1", "facts": {"known": {}}}',
            "it contains no measurement",
        ),
        (
            b'{"schema": "pipedoctor.report/1", "facts": {"known": {"bench_disk": 1}}}',
            "expected the output of",
        ),
    ],
    ids=["empty", "not text", "deep", "large", "nothing measured", "malformed"],
)
def test_nonsense_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedRecordError, match=reason):
        document.read_measurements(data)


def test_what_was_read_takes_the_place_of_the_short_read() -> None:
    facts = Facts(DataSets(entries=(DataSet(path="/x"), DataSet(path="/data"))))

    found = merge_measurements(facts, [DISK]).get(DataSets)

    assert found == DataSets(entries=(DISK.dataset, DataSet(path="/x")))


def test_it_stands_alone_without_data() -> None:
    assert merge_measurements(Facts(), [DISK]).get(DataSets) == DataSets(entries=(DISK.dataset,))


def test_nothing_read_replaces_nothing() -> None:
    known = DataSets(entries=(DataSet(path="/data", cold_read=READ),))
    empty = BenchDisk(host=HOST, dataset=DataSet(path="/data"))

    assert merge_measurements(Facts(known), [empty]).get(DataSets) == known


@pytest.mark.parametrize(
    ("cpu", "same"),
    [
        (Cpu(logical=8, model="Acme 9"), True),
        (Cpu(logical=8), True),
        (Cpu(logical=7, model="Acme 9"), False),
        (Cpu(logical=8, model="Acme 8"), False),
    ],
)
def test_another_machine_says_nothing_of_this_one(cpu: Cpu, same: bool) -> None:
    assert (merge_measurements(Facts(cpu), [DISK]).get(DataSets) is not None) is same


@pytest.mark.parametrize(
    ("cpu", "host", "said"),
    [
        pytest.param(Cpu(logical=8, model="Acme 9"), HOST, "", id="this one"),
        pytest.param(Cpu(logical=7, model="Acme 9"), HOST, AWAY, id="another one"),
        pytest.param(Cpu(logical=7), None, "", id="nobody knows which"),
        pytest.param(None, HOST, "", id="nobody knows of this one"),
    ],
)
def test_a_pipeline_of_another_machine_stays_and_says_so(
    cpu: Cpu | None, host: Host | None, said: str
) -> None:
    facts = Facts(cpu) if cpu else Facts()
    found = merge_measurements(facts, [pipeline(host=host)]).get(Pipeline)

    assert found is not None
    assert found.unusable_reason == said
    assert replace(found, elsewhere="") == pipeline(host=host)


def test_a_pipeline_that_comes_home_is_judged_again() -> None:
    away = pipeline(host=HOST, elsewhere=AWAY)
    home = merge_measurements(Facts(Cpu(logical=8, model="Acme 9"), away), []).get(Pipeline)

    assert home == pipeline(host=HOST)


SHEET = ResultSheet(
    title="Reading \x1b[31m/x",
    conclusions=("It is slow | very.",),
    header=("", "rate", "more"),
    rows=(
        ("one", "1,234 (1,000 to 2,000)", "a"),
        ("two", "out of order", ""),
    ),
    notes=("Noted.",),
)


def test_text_for_a_wide_terminal() -> None:
    assert text.render(SHEET, width=100) == (
        "Reading \\x1b[31m/x\n"
        "  It is slow | very.\n"
        "\n"
        "                       rate  more\n"
        "one  1,234 (1,000 to 2,000)     a\n"
        "\n"
        "Without a number:\n"
        "  two: out of order\n"
        "\n"
        "Noted.\n"
    )


def test_a_narrow_terminal_shows_no_intervals() -> None:
    said = text.render(SHEET, width=20, color=True, ascii_only=True)

    assert "1,234" in said
    assert "2,000" not in said
    assert max(map(len, said.splitlines()[1:])) <= text.MIN_WIDTH
    assert said.startswith("\x1b[1m")


def test_nothing_but_reasons() -> None:
    sheet = ResultSheet(title="t", header=("", "r", "m"), rows=(("two", "no", ""),))

    assert text.render(sheet) == "t\n\nWithout a number:\n  two: no\n"


def test_markdown_has_a_table() -> None:
    said = markdown.render(SHEET)

    assert "| one | 1,234 (1,000 to 2,000) | a |" in said
    assert "It is slow \\| very." in said
    assert said.endswith("- Noted.\n")


def test_the_last_notes() -> None:
    seen = Quality(windows=3, refused=2, why_refused="stolen CPUs", marked="foreign")
    host = Host(cpus=8, effective=2, release="6.1", created="2026-01-01T00:00:00Z")

    assert build_closing_notes(host, seen, 3.4, interrupted=True) == (
        "Interrupted: results so far.",
        "2 windows do not count: stolen CPUs.",
        "Unreliable, because the machine was busy: foreign.",
        (
            "Measured in 3 s on an unknown processor, 8 CPUs, 2 usable, kernel 6.1,"
            " 2026-01-01T00:00:00Z."
        ),
    )
