"""What `pipedoctor report` writes to stdout, and what it does not."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.terminal import output as cli_output

Run = Callable[..., Result]


def test_a_dash_is_stdout(run: Run, record: str, tmp_path: Path) -> None:
    (tmp_path / "-").write_text("mine")

    result = run("report", "--from", record, "-o", "-", "--format", "json")

    assert json.loads(result.stdout)["findings"]
    assert (tmp_path / "-").read_text() == "mine"
    assert not list(tmp_path.glob("pipedoctor-report*"))


def test_a_strange_name_is_printed_as_it_is(run: Run, record: str) -> None:
    result = run("report", "--from", record, "-o", "a\x1b[31m\udcff.md")

    assert result.stdout_bytes == b"a\x1b[31m\xff.md\n"


def _always(_: object) -> bool:
    return True


def test_an_archive_is_not_for_a_terminal(
    run: Run, record: str, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    run("report", "--from", record, "-o", "x.zip")
    assert run("report", "--unredact", "x.zip").stdout_bytes.startswith(b"PK")
    monkeypatch.setattr(cli_output, "is_terminal", _always)

    refused = run("report", "--unredact", "x.zip")

    assert refused.exit_code == 2
    assert refused.stderr == snapshot
