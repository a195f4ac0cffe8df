"""`pipedoctor diff --since`: what was kept of earlier runs, and what of it is damaged."""

import datetime as dt
import json
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.report import archive
from tests.cli.conftest import Run

QUICK = ("--quick", "--deadline", "30")


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def keep(data: bytes, ago: dt.timedelta) -> None:
    archive.save_report(data, "fine", dt.datetime.now(tz=dt.timezone.utc) - ago)


def test_nothing_was_kept(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("diff", "--since", "yesterday")

    assert result.exit_code == 3
    assert result.stderr == snapshot


def test_nothing_was_kept_so_early(run: Run, record: str) -> None:
    keep(Path(record).read_bytes(), dt.timedelta(minutes=1))

    result = run("diff", "--since", "2 days ago")

    assert result.exit_code == 3
    assert re.search(
        r"no saved report is that old: the oldest is from \d{4}-\d\d-\d\d \d\d:\d\d\n",
        result.stderr,
    )


def test_since_then(run: Run, record: str, sound: str) -> None:
    keep(Path(sound).read_bytes(), dt.timedelta(days=3))
    keep(Path(record).read_bytes(), dt.timedelta(hours=3))

    early = run("diff", "--since", "2 days ago", *QUICK, "--format", "json")
    last = run("diff", "--since", "last", *QUICK, "--format", "json")

    for result, size in ((early, 8 << 30), (last, 64 << 20)):
        assert result.exit_code == 1
        said = json.loads(result.stdout)
        assert [side["origin"] for side in said["sides"]] == ["kept", "here"]
        assert said["sides"][1]["name"] == "now"
        facts = {
            one["field"]: one["values"][0]["value"]
            for difference in said["differences"]
            for one in (difference, *difference["evidence"])
        }
        assert facts["shm.size"] == size


def test_a_kept_report_that_is_damaged(run: Run, tmp_path: Path) -> None:
    keep(b"{}", dt.timedelta(days=1))
    (path,) = (tmp_path / "state").rglob("*.json.gz")
    path.write_bytes(b"rubbish")

    result = run("diff", "--since", "last")

    assert result.exit_code == 2
    assert "damaged" in result.stderr
    assert result.stderr.count("\n") == 1
