"""
What fleets were like on other days, in one DuckDB file that grows by each run.

======== ==================================================================
table    columns
======== ==================================================================
runs     run, kept (UTC), nodes, fit, missing, unreadable
nodes    run, node, "group", created
outliers run, node, property, severity, finding, value, majority (both JSON)
findings run, node, code, name, severity
rates    run, node, property, value: what was measured, of every node
======== ==================================================================
"""

import datetime as dt
import hashlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.fleet.ingest import IngestedReports
from pipedoctor.fleet.model import FleetReport, RepeatedOutlier
from pipedoctor.fleet.properties import KNOWN_PROPERTIES
from pipedoctor.runtime import state_dir

_FILE_NAME = "fleet.duckdb"
MISSING_DUCKDB = "history needs DuckDB: pip install 'pipedoctor[fleet]'"
_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    run INTEGER PRIMARY KEY, kept TIMESTAMP, nodes INTEGER, fit INTEGER,
    missing INTEGER, unreadable INTEGER, content VARCHAR);
CREATE TABLE IF NOT EXISTS nodes (
    run INTEGER, node VARCHAR, "group" VARCHAR, created TIMESTAMP);
CREATE TABLE IF NOT EXISTS outliers (
    run INTEGER, node VARCHAR, property VARCHAR, severity VARCHAR, finding VARCHAR,
    value VARCHAR, majority VARCHAR);
CREATE TABLE IF NOT EXISTS findings (
    run INTEGER, node VARCHAR, code VARCHAR, name VARCHAR, severity VARCHAR);
CREATE TABLE IF NOT EXISTS rates (
    run INTEGER, node VARCHAR, property VARCHAR, value DOUBLE);
"""
_REPEATED_QUERY = """
SELECT node, property, count(DISTINCT run), min(kept), max(kept)
FROM outliers JOIN runs USING (run)
WHERE kept >= ? AND severity <> 'note'
GROUP BY node, property
HAVING count(DISTINCT run) > 1
ORDER BY count(DISTINCT run) DESC, node, property
"""
HistoryRows = tuple[list[str], list[tuple[Any, ...]]]
"""Names of columns, and rows."""


class HistoryError(Exception):
    """The history cannot be read or written; the message names it and says why."""


def find_default_file() -> Path:
    """
    Where the history lies when nobody names another file; raises HistoryError.

    In a folder that only this user can write, so the path stays what was looked at.
    """
    try:
        with state_dir.open_state_folder(create=True) as home:
            for name in (_FILE_NAME, f"{_FILE_NAME}.wal"):
                home.refuse_odd_file(name)
            return Path(home.path, _FILE_NAME)
    except OSError as error:
        message = f"the history cannot be kept: {error.strerror or error}"
        raise HistoryError(message) from None


def append_run(
    file: Path, report: FleetReport, reports: IngestedReports, moment: dt.datetime
) -> bool:
    """Append a run; False where exactly these reports are its last one already."""
    content = _hash_reports(reports)
    with _open_database(file, read_only=False) as base:
        base.execute(_TABLES)
        last = base.execute("SELECT max(run) FROM runs").fetchone()[0] or 0
        same = "SELECT 1 FROM runs WHERE run = ? AND content = ?"
        if base.execute(same, [last, content]).fetchone():
            return False
        base.execute("BEGIN")
        total = report.summary
        base.execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                *(last + 1, _to_utc(moment), total.nodes, total.fit),
                *(total.missing, total.unreadable, content),
            ],
        )
        for table, rows in _build_rows(report, reports).items():
            _insert_rows(base, table, last + 1, rows)
        base.execute("COMMIT")
    return True


def find_repeated(file: Path, since: dt.datetime) -> tuple[RepeatedOutlier, ...]:
    """Nodes that stood out more than once since then, the most often first."""
    with _open_database(file, read_only=True) as base:
        rows = base.execute(_REPEATED_QUERY, [_to_utc(since)]).fetchall()
        count = "SELECT count(*) FROM runs WHERE kept >= ?"
        runs: int = base.execute(count, [_to_utc(since)]).fetchone()[0]
    found = (
        RepeatedOutlier(
            node=node,
            property=name,
            runs=times,
            of=runs,
            first=f"{first:%Y-%m-%dT%H:%M:%SZ}",
            last=f"{last:%Y-%m-%dT%H:%M:%SZ}",
        )
        for node, name, times, first, last in rows
    )
    return tuple(found)


def run_query(file: Path, sql: str) -> HistoryRows:
    """Ask in SQL; nothing can be changed, and no other file read."""
    with _open_database(file, read_only=True) as base:
        base.execute("SET enable_external_access = false")
        base.execute("SET lock_configuration = true")
        cursor = base.execute(sql)
        names = [column[0] for column in cursor.description or ()]
        return names, cursor.fetchall()


def _build_rows(
    report: FleetReport, reports: IngestedReports
) -> Mapping[str, list[tuple[Any, ...]]]:
    instants = {one.node: one.report.instant for one in reports.nodes}
    return {
        "nodes": [
            (one.node, one.group, dt.datetime.fromtimestamp(instants[one.node], _UTC))
            for one in report.nodes
        ],
        "outliers": [
            (
                *(one.node, one.property, one.severity, one.finding),
                *(_encode_value(one.value), _encode_value(one.majority)),
            )
            for one in report.outliers
        ],
        "findings": [
            (node, one.code, one.name, one.severity)
            for one in report.findings
            for node in one.nodes
        ],
        "rates": [
            (one.node, name, float(value))
            for one in reports.nodes
            for name, value in _list_rates(one.report.rows.values())
        ],
    }


_UTC = dt.timezone.utc


def _list_rates(rows: Iterable[Sequence[tuple[str, Any]]]) -> Iterator[tuple[str, Any]]:
    for row in rows:
        for name, value in row:
            about = KNOWN_PROPERTIES.get(name)
            if about is not None and about.kind == "rate" and value is not None:
                yield name, value


def _insert_rows(base: Any, table: str, run_id: int, rows: list[tuple[Any, ...]]) -> None:
    """Whole columns at once: a statement a row takes a thousand times as long."""
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        parts = ", ".join(["?", *["unnest(?)"] * len(columns)])
        base.execute(f"INSERT INTO {table} SELECT {parts}", [run_id, *columns])


def _hash_reports(reports: IngestedReports) -> str:
    """Of what is compared; rows that nodes have in common are one object, encoded once."""
    whole = hashlib.sha256()
    known: dict[int, bytes] = {}
    for node in reports.nodes:
        report = node.report
        whole.update(msgspec.json.encode((node.node, report.created, report.findings)))
        for section in sorted(report.rows):
            row = report.rows[section]
            digest = known.get(id(row))
            if digest is None:
                digest = hashlib.sha256(msgspec.json.encode(row)).digest()
                known[id(row)] = digest
            whole.update(digest)
    return whole.hexdigest()


def _encode_value(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _to_utc(moment: dt.datetime) -> dt.datetime:
    """DuckDB's plain timestamps have no zone: ours are all UTC."""
    return moment.astimezone(_UTC).replace(tzinfo=None)


@contextmanager
def _open_database(file: Path, *, read_only: bool) -> Generator[Any, None, None]:
    if read_only and not file.is_file():
        message = f"{file}: no history yet; `pipedoctor fleet keep FOLDER` makes one"
        raise HistoryError(message)
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        raise HistoryError(MISSING_DUCKDB) from None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        base = duckdb.connect(str(file), read_only=read_only)
    except (duckdb.Error, OSError) as error:
        message = f"{file}: {_get_first_line(error)}"
        raise HistoryError(message) from None
    try:
        yield base
    except duckdb.Error as error:
        raise HistoryError(_get_first_line(error)) from None
    finally:
        base.close()


def _get_first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
