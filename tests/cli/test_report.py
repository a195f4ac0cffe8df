"""The attachment for a ticket, as those read it who get it."""

import errno
import hashlib
import io
import json
import os
import re
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import Result
from markdown_it import MarkdownIt
from syrupy.assertion import SnapshotAssertion

from pipedoctor.report import archive
from pipedoctor.report.json import build_schema

Run = Callable[..., Result]
Start = Callable[..., Any]

ROOT = Path(__file__).parents[1]
MACHINES = [
    *sorted((ROOT / "machines").glob("*.json")),
    *sorted((ROOT / "text" / "tickets").glob("*.txt")),
]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def found(result: Result) -> list[dict[str, Any]]:
    """Findings of a JSON report, all of them in full."""
    findings: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return findings


def attached(run: Run, record: str, *args: str) -> str:
    result = run("report", "--from", record, *args)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def test_machines_are_there() -> None:
    assert MACHINES


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", ["x.json", "x.zip"])
def test_whoever_gets_it_finds_the_same(machine: Path, name: str, run: Run) -> None:
    attached(run, str(machine), "-o", name)

    again = found(run("check", "--from", name, "--format", "json"))
    before = found(run("check", "--from", str(machine), "--format", "json"))

    def short(entry: dict[str, Any]) -> list[Any]:
        return [entry[key] for key in ("rank", "code", "severity", "explains")]

    assert list(map(short, again)) == list(map(short, before))
    if name == "x.json":
        sent = json.loads(Path(name).read_bytes())
        jsonschema.validate(sent, build_schema())
        assert again == sent["findings"]


def test_it_names_itself_and_writes_over_nothing(run: Run, record: str) -> None:
    first, second = attached(run, record), attached(run, record)
    third = attached(run, record, "--all")

    assert re.fullmatch(r"pipedoctor-report-\d{4}-\d\d-\d\d\.md", first)
    assert second == first.replace(".md", "-2.md")
    assert third == first.replace(".md", ".zip")
    assert all(Path(name).is_file() for name in (first, second, third))


def test_what_was_found_is_said_to_who_watches(
    run: Run, record: str, snapshot: SnapshotAssertion
) -> None:
    result = run("report", "--from", record)

    assert result.stderr == snapshot


def test_into_a_folder(run: Run, record: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()

    name = attached(run, record, "-o", "out", "--format", "html")

    assert name.startswith("out/pipedoctor-report-")
    assert Path(name).read_text("utf-8").startswith("<!doctype html>")


def test_a_file_that_is_there(
    run: Run, record: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "x.md").write_text("mine")

    refused = run("report", "--from", record, "-o", "x.md")

    assert refused.exit_code == 2
    assert refused.stderr == snapshot
    assert (tmp_path / "x.md").read_text() == "mine"
    attached(run, record, "-o", "x.md", "--force")
    assert (tmp_path / "x.md").read_text().startswith("# pipedoctor")


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("-o", "x.pdf"), "-o x.pdf: expected a name that ends with .md, .markdown,"),
        (("-o", "x.md", "--all"), "--all makes a .zip, not markdown"),
        (("--copy", "--history"), "--copy and --history cannot be combined"),
        (("--copy", "-o", "x.md"), "--copy prints and -o writes a file: they cannot be combined"),
        (("--copy", "--all"), "--copy prints and --all writes a file: they cannot be combined"),
        (("--unredact", "nowhere.md"), "--unredact nowhere.md: No such file"),
        (("-o", "no/where.md"), "no/where.md: cannot be written: No such file"),
        (("--format", "text"), "'text' is not one of 'markdown', 'json', 'html'"),
        (("--fail-on", "note"), "No such option"),
        (("--fix", "--yes"), "No such option"),
        (("--statistics",), "No such option"),
    ],
)
def test_slips(args: tuple[str, ...], reason: str, run: Run, record: str) -> None:
    result = run("report", "--from", record, *args)

    assert result.exit_code == 2
    assert reason in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_everything_in_one(run: Run, record: str, snapshot: SnapshotAssertion) -> None:
    attached(run, record, "-o", "x.zip")

    with zipfile.ZipFile("x.zip") as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    for row in inside["SHA256SUMS"].decode().splitlines():
        digest, _, name = row.partition("  ")
        assert hashlib.sha256(inside[name]).hexdigest() == digest
    jsonschema.validate(json.loads(inside["report.json"]), build_schema())
    assert inside["report.html"].startswith(b"<!doctype html>")
    first = MarkdownIt().parse(inside["report.md"].decode())[1]
    assert first.content == snapshot
    assert json.loads(inside["manifest.json"])["redacted"] is True


def test_a_zip_from_stdin(run: Run, record: str) -> None:
    attached(run, record, "-o", "x.zip")

    result = run("check", "--from", "-", stdin=Path("x.zip").read_bytes())

    assert result.exit_code == 1
    assert "/dev/shm has 64.0 MiB" in result.stdout


def test_a_bomb(run: Run, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("report.json", bytes(33 << 20))
    (tmp_path / "x.zip").write_bytes(out.getvalue())

    for command in (("check",), ("explain", "-")):
        result = run(*command, "--from", "x.zip", stdin=b"Bus error\n")
        assert result.exit_code == 2
        assert result.stderr == snapshot


def test_copy_prints_markdown_and_writes_nothing(run: Run, record: str) -> None:
    result = run("report", "--from", record, "--copy")

    assert result.stdout.startswith("# pipedoctor: 1 finding breaks the job")
    assert result.stderr == ""
    assert not list(Path.cwd().glob("pipedoctor-report*"))


def test_an_issue_form_as_github_reads_it(run: Run) -> None:
    form = yaml.safe_load(run("report", "--issue-template").stdout)

    assert set(form) <= {"name", "description", "title", "labels", "assignees", "body"}
    assert form["name"]
    assert form["description"]
    assert any("pipedoctor report" in str(part) for part in form["body"])
    fields = {"label", "description", "placeholder", "value", "render"}
    for part in form["body"]:
        assert part["type"] in {"markdown", "textarea", "input", "dropdown"}
        assert set(part) <= {"type", "id", "attributes", "validations"}
        assert re.fullmatch(r"[\w-]+", part["id"])
        assert part["attributes"]["label"]
        assert set(part["attributes"]) <= fields
    assert len({part["id"] for part in form["body"]}) == len(form["body"])


def test_reports_of_this_machine_are_kept_and_agree(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    home = tmp_path / "home" / "canary.smith"
    (home / "moonshot").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PYTHONPATH", str(home / "moonshot"))
    empty = run("report", "--history")
    for name in ("a.json", "b.json"):
        assert run("report", "--quick", "-o", name).exit_code == 0
    assert run("report", "--quick", "--no-keep", "-o", "c.json").exit_code == 0
    assert run("report", "--quick", "--no-redact", "-o", "d.json").exit_code == 0
    assert run("check", "--quick", "--keep", "--format", "json").exit_code in {0, 1}

    a, b, c, d = (Path(f"{n}.json").read_text("utf-8") for n in "abcd")
    kept = json.loads(run("report", "--history", "--format", "json").stdout)["reports"]
    lines = run("report", "--history").stdout.splitlines()

    assert empty.stdout == snapshot
    assert "canary" not in a + b + c
    assert "canary.smith/moonshot" in d
    alias = re.findall(r"/home/<user-\d>/<path-\d+>", a)
    assert alias == re.findall(r"/home/<user-\d>/<path-\d+>", b)
    assert alias
    assert len(kept) == len(lines) == 3
    assert all(stat.S_IMODE(Path(k["path"]).stat().st_mode) == 0o600 for k in kept)
    assert kept[0]["path"] in lines[0]


def test_names_are_given_back_to_their_owner(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    home = tmp_path / "home" / "canary.smith"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("x.md", "x.html", "x.zip"):
        assert run("report", "--quick", "-o", name).exit_code == 0
        redacted = Path(name).read_bytes()
        result = run("report", "--unredact", name, "-o", f"real-{name}")
        assert result.exit_code == 0, result.stderr
        assert b"canary" not in redacted
    real = Path("real-x.md").read_text("utf-8")

    assert "/home/canary.smith" in real
    assert "/home/canary.smith" in Path("real-x.html").read_text("utf-8")
    with zipfile.ZipFile("real-x.zip") as archive:
        assert b"/home/canary.smith" in archive.read("report.json")
        assert json.loads(archive.read("manifest.json"))["redacted"] is False
    refused = run("report", "--unredact", "x.md", "-o", "real-x.md")
    assert refused.stderr == snapshot


def test_whose_aliases_are_strange_gets_nothing_back(
    run: Run, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "x.md").write_text("/home/<user-1>")

    result = run("report", "--unredact", "x.md")

    assert result.stdout == "/home/<user-1>"
    assert result.stderr == snapshot


def test_what_cannot_be_kept_costs_a_line(
    run: Run, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "state").write_text("no folder")

    result = run("report", "--quick", "-o", "x.json")

    assert result.exit_code == 0
    assert Path("x.json").is_file()
    rows = [row for row in result.stderr.splitlines() if row.startswith("pipedoctor: ")]
    assert [row.partition(": /")[0] for row in rows] == snapshot


def test_what_is_full_costs_a_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    def full(_report: bytes, _worst: str, _now: object) -> None:
        raise archive.ArchiveError(os.strerror(errno.ENOSPC))

    monkeypatch.setattr(archive, "save_report", full)

    result = run("report", "--quick", "-o", "x.json")

    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1] == snapshot


def test_it_is_written_even_if_nothing_could_be_judged(run: Run, tmp_path: Path) -> None:
    record = tmp_path / "empty.json"
    head = {"schema": "pipedoctor.report/1", "created": "2026-01-01T00:00:00Z"}
    record.write_text(json.dumps({**head, "facts": {"known": {}, "unknown": {}}}))

    written = run("report", "--from", str(record), "-o", str(tmp_path / "made.md"))

    assert written.exit_code == 0
    assert (tmp_path / "made.md").exists()
    assert run("report", "--from", str(tmp_path / "gone.json"), "--copy").exit_code == 2
