"""`list --tables` says how old the tables are, and how much of them is in doubt."""

import json

from click.testing import CliRunner
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli import main
from pipedoctor.cli.actions.list_tables import format_table_row


def test_every_table_has_rows_and_days() -> None:
    done = CliRunner().invoke(main, ["list", "--tables", "--format", "json"])

    assert done.exit_code == 0
    tables = {row["table"]: row for row in json.loads(done.output)["tables"]}
    assert {"filesystems", "cuda_drivers", "torch_builds", "torch_pairs"} <= set(tables)
    for row in tables.values():
        assert row["rows"] > 2
        assert "2026-01-01" <= row["oldest"] <= row["newest"]
    assert 0 < tables["filesystems"]["unconfirmed"] <= tables["filesystems"]["rows"]


def test_one_line_a_table() -> None:
    done = CliRunner().invoke(main, ["list", "--tables"])

    lines = [text.split() for text in done.output.splitlines()]
    assert all(text[2:4] == ["rows,", "checked"] for text in lines)


def test_lines(snapshot: SnapshotAssertion) -> None:
    row = {"table": "x", "rows": 3, "oldest": "2026-01-02", "newest": "2026-01-02"}
    span = {**row, "newest": "2026-03-04", "unconfirmed": 2}

    assert format_table_row({**row, "unconfirmed": 0}, 3) == "x       3 rows, checked 2026-01-02\n"
    assert format_table_row(span, 1) == snapshot
