"""A fleet over time: kept runs, repeat offenders, SQL, and what has changed."""

import csv
import datetime as dt
import io
import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from pipedoctor.fleet import history
from pipedoctor.fleet.change import compare_fleets
from pipedoctor.fleet.ingest import IngestedReports, ingest_reports, open_folders
from pipedoctor.fleet.model import FleetReport
from tests.fleet.node_reports import GIB, judged, report

Put = Callable[..., Path]
NIGHT = dt.datetime(2026, 1, 1, 3, tzinfo=dt.timezone.utc)
duckdb = pytest.mark.skipif(find_spec("duckdb") is None, reason="duckdb is not installed")


def state(folder: Path) -> tuple[IngestedReports, FleetReport]:
    return ingest_reports(open_folders([str(folder)])), judged(folder)


@pytest.fixture
def night(put: Put) -> Callable[..., None]:
    """The reports of one night: thirty nodes, and those that are ill."""

    def make(number: int, *ill: str) -> None:
        created = (NIGHT + dt.timedelta(days=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
        for name in [f"h{n}" for n in range(60)]:
            size = 64 << 20 if name in ill else 64 * GIB
            content = report(name, created=created, shm={"size": size})
            put(name, content, f"{name}.json")

    return make


@duckdb
def test_who_stands_out_again_and_again(
    night: Callable[..., None], folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "new" / "fleet.duckdb"
    for number, ill in enumerate([("h1",), ("h1", "h2"), ("h1",), ("h3",)]):
        night(number, *ill)
        ingested, found = state(folder)
        assert history.append_run(file, found, ingested, NIGHT + dt.timedelta(days=number))

    (one,) = history.find_repeated(file, NIGHT)

    assert (one.node, one.property, one.runs, one.of) == ("h1", "shm.size", 3, 4)
    assert (one.first, one.last) == ("2026-01-01T03:00:00Z", "2026-01-03T03:00:00Z")
    assert history.find_repeated(file, NIGHT + dt.timedelta(days=2)) == ()


@duckdb
def test_the_same_reports_are_kept_once(
    night: Callable[..., None], folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "fleet.duckdb"
    night(0)
    ingested, found = state(folder)

    assert history.append_run(file, found, ingested, NIGHT)
    assert not history.append_run(file, found, ingested, NIGHT)
    assert history.run_query(file, "SELECT count(*) AS n FROM runs") == (["n"], [(1,)])


@duckdb
@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE runs",
        "COPY runs TO 'x.csv'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT nothing",
        "SELEC",
        "SET enable_external_access = true",
    ],
)
def test_a_question_changes_nothing_and_reads_no_file(
    night: Callable[..., None], folder: Path, tmp_path: Path, sql: str
) -> None:
    file = tmp_path / "fleet.duckdb"
    night(0)
    ingested, found = state(folder)
    history.append_run(file, found, ingested, NIGHT)

    with pytest.raises(history.HistoryError):
        history.run_query(file, sql)


@duckdb
def test_what_is_no_history(tmp_path: Path) -> None:
    (tmp_path / "odd").write_text("hello " * 999)

    with pytest.raises(history.HistoryError, match="odd"):
        history.run_query(tmp_path / "odd", "SELECT 1")
    with pytest.raises(history.HistoryError, match="no history yet"):
        history.run_query(tmp_path / "nowhere", "SELECT 1")


@duckdb
@pytest.mark.cluster
def test_a_year_of_a_thousand_nodes_is_answered_in_seconds(
    fleets: ModuleType, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "fleet.duckdb"
    fleets.write_fleet(folder, 1000, packages_each=70)
    ingested, found = state(folder)
    history.append_run(file, found, ingested, NIGHT)
    with import_module("duckdb").connect(str(file)) as base:  # more nights
        base.execute(
            "INSERT INTO runs SELECT run + i, kept + to_days(i), nodes, fit, missing,"
            " unreadable, content FROM runs, range(1, 365) r(i)"
        )
        for table in ("nodes", "outliers", "findings", "rates"):
            base.execute(
                f"INSERT INTO {table} SELECT t.* REPLACE (run + i AS run)"
                f" FROM {table} t, range(1, 365) r(i)"
            )
    began = time.monotonic()

    again = history.find_repeated(file, NIGHT)
    _, rows = history.run_query(file, "SELECT node, avg(value) FROM rates GROUP BY node")

    assert time.monotonic() - began < 5
    assert {one.runs for one in again} == {365}
    assert len(rows) == 1000


def test_an_upgrade_is_one_line(put: Put, folder: Path, tmp_path: Path) -> None:
    after = tmp_path / "after"
    after.mkdir()
    for number in range(40):
        name = f"h{number}"
        read = {"files": 1, "bytes": 1, "seconds": 1, "open_seconds": 0, "cold": True}
        for place, driver, seconds, size in (
            (folder, "570", 1.0, 64 * GIB),
            (after, "580", 3.0, 64 * GIB - 1000 if number else GIB),
        ):
            cold = {**read, "large_bytes": 10**9, "large_seconds": seconds}
            content = report(
                name,
                gpu={"driver": driver},
                shm={"size": size},
                datasets={"entries": [{"path": "/d", "cold_read": cold}]},
            )
            (place / f"{name}.json").write_text(json.dumps(content))
    put("old", report("old"))

    change = compare_fleets(state(folder), state(after))

    assert change.nodes == 40
    assert change.gone == ("old",)
    updated, smaller = change.changes
    assert updated.property == "gpu.driver"
    assert (updated.before, updated.after, updated.count) == ("570", "580", 40)
    assert (smaller.property, smaller.nodes) == ("shm.size", ("h0",))
    (rate,) = change.rates
    assert rate.property == "datasets.cold_read.bytes_per_second"
    assert [one.property for one in change.outliers_new] == ["shm.size"]


def ask(*args: str) -> "subprocess.CompletedProcess[bytes]":
    line = [sys.executable, "-m", "pipedoctor", "fleet", *args]
    return subprocess.run(line, capture_output=True, check=False)


def test_nothing_has_changed(night: Callable[..., None], folder: Path) -> None:
    night(0)

    result = ask("diff", str(folder), str(folder))

    assert (result.returncode, result.stdout) == (0, b"No difference in 60 nodes.\n")


@pytest.mark.extended
def test_nothing_can_be_compared(night: Callable[..., None], folder: Path, tmp_path: Path) -> None:
    night(0)

    assert ask("diff", str(folder), str(tmp_path)).returncode == 3
    assert ask("diff", str(folder), "nowhere").returncode == 2


@duckdb
def test_reports_of_the_same_second_with_other_facts_are_another_run(
    night: Callable[..., None], folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "fleet.duckdb"
    kept: list[bool] = []
    for ill in ([], [], ["h1"], ["h1"], []):
        night(0, *ill)
        ingested, found = state(folder)
        kept.append(history.append_run(file, found, ingested, NIGHT))

    assert kept == [True, False, True, False, True]


@duckdb
def test_the_commands_work_together(
    night: Callable[..., None], folder: Path, tmp_path: Path
) -> None:
    base = ("--history", str(tmp_path / "fleet.duckdb"))
    for number in range(2):
        night(number, "h1")
        assert ask("keep", str(folder), *base).returncode == 0
    again = ask("keep", str(folder), *base)

    shown = ask("show", str(folder), "--since", "2 days ago", *base)
    sql = "SELECT node, '=1+1' AS odd FROM outliers"
    table = ask("query", sql, *base, "--format", "csv")
    rows = ask("query", sql, *base, "--format", "json")
    text = ask("query", sql, *base)

    assert b"already the last run in the history" in again.stderr
    assert b"h1: shm.size in 2 of 2 runs" in shown.stdout
    assert list(csv.reader(io.StringIO(table.stdout.decode()))) == [
        ["node", "odd"],
        ["h1", "'=1+1"],
        ["h1", "'=1+1"],
    ]
    assert json.loads(rows.stdout) == [{"node": "h1", "odd": "=1+1"}] * 2
    assert text.stdout.splitlines()[1].split() == [b"h1", b"=1+1"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("query", "SELECT 1", "--history", "nowhere"), b"nowhere: no history yet"),
        (("show", ".", "--since", "once"), b"--since 'once' is not a valid time"),
        (("keep", "."), b"no report could be read"),
    ],
)
def test_what_cannot_be_meant(args: tuple[str, ...], said: bytes, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "pipedoctor", "fleet", *args]

    result = subprocess.run(line, capture_output=True, check=False, cwd=tmp_path)

    assert result.returncode == 2
    assert said in result.stderr or b"pip install" in result.stderr
    assert result.stderr.count(b"\n") == 1
