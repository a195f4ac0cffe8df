"""`pipedoctor diff`: exit codes, what may be compared, and what is said of the rest."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Run, Start

TICKETS = Path(__file__).parents[1] / "text" / "tickets"
QUICK = ("--quick", "--deadline", "30")


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_one_difference(run: Run, record: str, sound: str, snapshot: SnapshotAssertion) -> None:
    result = run("diff", sound, record)

    assert result.exit_code == 1
    assert result.stdout == snapshot
    assert result.stdout.splitlines()[0] == snapshot
    assert result.stderr == ""


def test_no_difference(run: Run, record: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    copy = tmp_path / "copy.json"
    copy.write_bytes(Path(record).read_bytes())

    result = run("diff", record, str(copy))

    assert result.exit_code == 0
    assert result.stdout == snapshot


def test_nothing_to_compare(
    run: Run, record: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    wanted = tmp_path / "requirements.txt"
    wanted.write_text("numpy\n")

    result = run("diff", record, str(wanted))

    assert result.exit_code == 3
    assert result.stdout == snapshot


def test_here_is_like_here(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "now.json"
    assert run("check", "--quick", "--format", "json", "-o", str(path)).exit_code in {
        0,
        1,
    }

    result = run("diff", str(path), "here", *QUICK, "--format", "json")

    said = json.loads(result.stdout)
    assert [side["origin"] for side in said["sides"]] == ["report", "here"]
    assert result.exit_code == int(bool(said["differences"]))
    assert said["compared"] > 100
    steady = {one["section"] for one in said["differences"]} & {
        "packages",
        "torch",
        "site",
    }
    assert not steady


@pytest.mark.parametrize("form", ["json", "markdown", "html"])
def test_formats(run: Run, record: str, sound: str, form: str, tmp_path: Path) -> None:
    target = tmp_path / "out"

    result = run("diff", sound, record, "--format", form, "-o", str(target))

    assert result.exit_code == 1
    assert result.stdout == ""
    assert "shm-too-small" in target.read_text("utf-8")


def test_names_are_taken_out(run: Run, sound: str, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    text = Path(sound).read_text("utf-8").replace("carol/venv", "carol/elsewhere")
    other.write_text(text.replace("3.12.1", "3.12.2"), "utf-8")

    plain = run("diff", sound, str(other), "-v", "--no-redact").stdout
    redacted = run("diff", sound, str(other), "-v").stdout

    assert "/home/carol/elsewhere" in plain
    assert "/home/<user-1>/elsewhere" in redacted
    assert "carol" not in redacted


def test_stdin(run: Run, record: str, sound: str, snapshot: SnapshotAssertion) -> None:
    result = run("diff", "-", record, stdin=Path(sound).read_bytes())

    assert result.exit_code == 1
    assert result.stdout == snapshot


@pytest.mark.parametrize("ticket", sorted(TICKETS.glob("*.txt")), ids=lambda p: p.name)
def test_tickets(run: Run, ticket: Path, sound: str) -> None:
    result = run("diff", str(ticket), sound, "--format", "json")

    assert result.exit_code in {0, 1}
    assert json.loads(result.stdout)["sides"][0]["origin"] == "text"


def test_an_archive(
    run: Run, record: str, sound: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("manifest.json", "{}")
        file.writestr("report.json", Path(sound).read_bytes())
    path = tmp_path / "report.zip"
    path.write_bytes(buffer.getvalue())

    assert run("diff", str(path), record).stdout == snapshot


def test_files_of_one_name_are_called_by_their_paths(run: Run, record: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "record.json"
    other.write_bytes(Path(record).read_bytes())

    said = json.loads(run("diff", record, str(other), record, "--format", "json").stdout)

    names = [side["name"] for side in said["sides"]]
    assert len(set(names)) == 3
    assert "other" in names[1]


def test_quiet_and_sections(run: Run, record: str, sound: str) -> None:
    quiet = run("diff", sound, record, "-q").stdout
    nothing = run("diff", sound, record, "--ignore", "shm,loader")
    packages = run("diff", sound, record, "--select", "site")

    assert quiet.startswith("judged  shm-too-small: healthy | /dev/shm has 64.0 MiB")
    assert "shm" not in nothing.stdout
    assert nothing.exit_code == packages.exit_code == 0


HOSTILE = [
    pytest.param(b"", "it is empty", id="empty"),
    pytest.param(b"garbage", "no output of torch.utils.collect_env", id="garbage"),
    pytest.param(b"\x00\x01\x02" * 99, "binary data", id="binary"),
    pytest.param(b"PK\x03\x04", "a .zip, but it was cut off", id="archive"),
    pytest.param(b"[" * 100_000, "expected", id="deep text"),
    pytest.param(b'{"a":' * 100_000, "expected", id="deep"),
    pytest.param(b'{"schema": "pipedoctor.report/9"}', "schema", id="another schema"),
    pytest.param(
        b'{"schema":"pipedoctor.report/1","created":"","facts":'
        b'{"known":{"shm":{"size":"x"}},"unknown":{}}}',
        "facts.known.shm",
        id="a size that is none",
    ),
]


@pytest.mark.parametrize(("data", "why"), HOSTILE)
def test_what_cannot_be_read(run: Run, record: str, tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "bad\x1b[31m.json"
    path.write_bytes(data)

    result = run("diff", record, str(path))

    assert result.exit_code == 2
    assert result.stdout == ""
    assert why in result.stderr
    assert result.stderr.count("\n") == 1
    assert "\x1b" not in result.stderr
    assert "bad" in result.stderr


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (
            "requirements.txt",
            "not a requirement!!!\n",
            "no requirements file: line 1 is not a requirement",
        ),
        ("environment.yml", "a: [", "no environment.yml file"),
        ("uv.lock", "= nonsense", "no uv.lock file"),
    ],
)
def test_records_that_cannot_be_read(
    run: Run, record: str, tmp_path: Path, name: str, text: str, why: str
) -> None:
    (tmp_path / name).write_text(text)

    result = run("diff", record, name)

    assert result.exit_code == 2
    assert f"{name}: {why}" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "two sides are required: `pipedoctor diff A here`"),
        (("x",), "`pipedoctor diff x here`"),
        (("here",), "`pipedoctor diff A here`"),
        (("here", "here"), "`here` is given twice"),
        (("-", "-"), "`-` is given twice"),
        (("nosuch", "here"), "nosuch: No such file or directory"),
        (("x",) * 33, "33 sides: at most 32"),
        (("a", "b", "--select", "pakages"), "did you mean `packages`?"),
        (("here", "a", "--env", "e", "--python", "p"), "--python and --env"),
        (("--since", "soon"), "--since 'soon' is not a valid time: expected last, yesterday"),
        (("--since", "last", "a"), "--since cannot be combined with sides: a"),
    ],
)
def test_what_cannot_be_meant(run: Run, arguments: tuple[str, ...], why: str) -> None:
    result = run("diff", *arguments)

    assert result.exit_code == 2
    assert why in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_reader_that_went_away(start: Start, record: str, sound: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = start("diff", sound, record, stdout=full)

    assert done.returncode == 2
    assert done.stderr.startswith(b"pipedoctor diff: stdout: cannot be written")


def test_a_page_is_a_report(run: Run, record: str, sound: str, tmp_path: Path) -> None:
    page = tmp_path / "sound.html"
    run("check", "--from", sound, "--format", "html", "-o", str(page), "--no-redact")

    same = run("diff", sound, str(page))
    other = run("diff", str(page), record, "--format", "json")

    assert same.exit_code == 0
    assert json.loads(other.stdout)["sides"][0]["created"].startswith("20")


def test_a_judged_text_stays_a_text(run: Run, sound: str, tmp_path: Path) -> None:
    judged = tmp_path / "judged.json"
    ticket = str(TICKETS / "detectron2.txt")
    run("check", "--from", ticket, "--format", "json", "-o", str(judged))

    result = run("diff", str(judged), ticket, sound, "--format", "json")

    origins = [side["origin"] for side in json.loads(result.stdout)["sides"]]
    assert origins == ["text", "text", "report"]
    assert run("diff", str(judged), ticket).exit_code == 0
