"""`pipedoctor explain`: exit codes, forms, places, what is quoted."""

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.explanation.explain import explain_log
from pipedoctor.explanation.json import build_schema
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.facts import Facts
from pipedoctor.facts.log import Log
from tests.cli.conftest import Run

BUS = (
    "epoch 1\n"
    "[rank2]: RuntimeError: DataLoader worker (pid 47) is killed by signal: Bus error."
    " It is possible that dataloader's workers are out of shared memory.\n"
)
OWN = 'Traceback (most recent call last):\n  File "tr.py", line 3, in f\nKeyError: 1\n'


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.write_text(BUS, "utf-8")
    return path


def test_a_cause_is_found(run: Run, log: Path) -> None:
    result = run("explain", str(log))

    assert result.exit_code == 1
    first, *rest = result.stdout.splitlines()
    assert first.startswith("shm-too-small: ")
    quoted = "line 2 (rank 2): RuntimeError: DataLoader worker"
    assert any(quoted in line for line in rest)
    assert any(line.startswith("   Here: ") for line in rest)


def test_a_container_is_told_what_to_type(run: Run, log: Path, record: str) -> None:
    result = run("explain", str(log), "--from", record)

    assert result.exit_code == 1
    assert result.stdout.startswith("shm-too-small: docker run --shm-size=")
    assert "Here: confirmed" in result.stdout
    assert "mount -o remount" not in result.stdout


def test_a_healthy_machine_says_so_behind_the_command(
    run: Run, log: Path, record: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    report = json.loads(Path(record).read_text("utf-8"))
    report["facts"]["known"]["shm"] |= {"size": 64 << 30, "available": 60 << 30}
    healthy = tmp_path / "healthy.json"
    healthy.write_text(json.dumps(report), "utf-8")

    said = run("explain", str(log), "--from", str(healthy)).stdout

    first, *_ = said.splitlines()
    assert first == snapshot
    assert "Remedy on the machine that wrote the log, not here:" in said
    page = run("explain", str(log), "--from", str(healthy), "--format", "markdown")
    assert "Remedy on the machine that wrote the log, not here:" in page.stdout
    assert "/dev/shm has 64.0 GiB, 60.0 GiB of it free" in said.replace("\n   ", " ")


def test_other_places_on_demand(run: Run, log: Path, record: str) -> None:
    few = run("explain", str(log), "--from", record).stdout
    all_ = run("explain", str(log), "--from", record, "--all-places").stdout

    assert "Kubernetes:" not in few
    assert "--all-places shows" in few
    assert "Kubernetes:" in all_


def test_nothing_known(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("explain", "-", stdin=b"all is well\n")

    assert result.exit_code == 0
    assert result.stdout == snapshot


def test_an_empty_log(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("explain", "-", stdin=b"")

    assert result.exit_code == 3
    assert result.stdout == snapshot


def test_lines_are_counted(run: Run) -> None:
    for text, count in ((b"a\nb\n", 2), (b"a\nb", 2), (b"", 0), (b"\n", 1)):
        said = json.loads(run("explain", "-", "--format", "json", stdin=text).stdout)
        assert said["lines"] == count


def test_the_command_that_decides_stands_in_a_ticket_too(run: Run) -> None:
    text = b"RuntimeError: Cannot re-initialize CUDA in forked subprocess\n"
    text += b"AttributeError: Can't get attribute 'Ds' on <module '__main__'>\n"

    said = json.loads(run("explain", "-", "--format", "json", stdin=text).stdout)
    page = run("explain", "-", "--format", "markdown", stdin=text).stdout

    assert page.count("To confirm:") == sum(
        bool(cause["decide"]) for cause in said["causes"] if cause["here"] == "unknown"
    )


def test_the_schema_is_published_and_kept(run: Run, log: Path, record: str) -> None:
    published = Path(__file__).parents[2] / "docs/explanation.schema.json"
    kept = json.loads(published.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(kept)
    assert kept == build_schema()
    for given in (BUS, OWN, "all is well"):
        log.write_text(given, "utf-8")
        result = run("explain", str(log), "--format", "json", "--from", record)
        jsonschema.validate(json.loads(result.stdout), kept)


def test_json(run: Run, log: Path, record: str) -> None:
    result = run("explain", str(log), "--format", "json", "--from", record)

    said = json.loads(result.stdout)
    assert said["schema"] == "pipedoctor.explanation/1"
    assert said["not_environment"] is False
    (cause,) = said["causes"]
    assert cause["rank"] == 1
    assert cause["cause"] == "shm_too_small"
    assert cause["name"] == "shm-too-small"
    assert cause["confidence"] == "certain"
    assert [line["number"] for line in cause["lines"]] == [2]
    assert cause["here"] == "confirmed"
    assert cause["why_here"]
    first = cause["remedies"][0]
    assert {"title", "shell", "argv", "place", "lasts", "root", "automatic"} <= {*first}
    places = {place for remedy in cause["remedies"] for place in remedy["fits"]}
    assert {"docker", "kubernetes"} <= places


def test_markdown_into_a_file(run: Run, log: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.md"

    result = run("explain", str(log), "--format", "markdown", "-o", str(target))

    assert result.exit_code == 1
    assert result.stdout == ""
    assert target.read_text("utf-8").startswith("# shm-too-small: ")


def test_quoted_lines_are_redacted(run: Run) -> None:
    text = b"PermissionError: [Errno 13] Permission denied: '/home/mallory/.cache/hub'\n"

    hidden = run("explain", "-", stdin=text).stdout
    shown = run("explain", "-", "--no-redact", stdin=text).stdout

    assert "mallory" not in hidden
    assert "mallory" in shown


def test_what_a_log_holds_is_not_obeyed(run: Run) -> None:
    text = b"RuntimeError: received 0 items of ancdata \x1b]0;owned\x07 \x9b31m\n"

    said = run("explain", "-", stdin=text).stdout

    assert "\x1b" not in said
    assert "\x9b" not in said


def test_a_file_wins_over_a_name(run: Run, tmp_path: Path) -> None:
    page = run("explain", "shm-too-small")
    (tmp_path / "shm-too-small").write_text(BUS, "utf-8")
    log = run("explain", "shm-too-small")

    assert page.exit_code == 0
    assert page.stdout.startswith("# /dev/shm is too small")
    assert log.exit_code == 1


def test_a_page_for_programs(run: Run) -> None:
    page = run("explain", "shm-too-small").stdout
    told = json.loads(run("explain", "PDR701", "--format", "json").stdout)
    listed = json.loads(run("list", "--format", "json").stdout)["checks"]

    assert told.pop("schema") == "pipedoctor.page/1"
    assert told.pop("page") == page
    assert told in listed


def test_a_page_of_a_hazard_shows_code(run: Run) -> None:
    _, _, examples = run("explain", "print-in-item").stdout.partition("## Bad example\n")
    bad, _, good = examples.partition("## Good example\n")

    assert "```python\nclass Images(Dataset):" in bad
    assert "if self.verbose:" in good
    assert "if self.verbose:" not in bad


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("explain", "nothing-of-this-name"), "neither a file nor the name"),
        (("fix", "--shm", "5G", "--format", "json"), "--format json requires --hist"),
        (("explain", "."), ".: cannot be read: Is a directory"),
        (("explain", "-", "--from", "missing.json"), "--from missing.json: cannot be"),
    ],
)
def test_wrong_usage(run: Run, args: tuple[str, ...], said: str) -> None:
    result = run(*args, stdin=b"")

    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        pytest.param(slice(-9), "the compressed file is truncated", id="cut"),
        pytest.param(slice(0, None, 2), "the compressed file is damaged: ", id="damaged"),
    ],
)
def test_a_packed_log_that_is_not_whole(run: Run, kept: slice, said: str) -> None:
    packed = gzip.compress(BUS.encode())
    result = run("explain", "-", stdin=packed[:10] + packed[10:][kept])

    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "unread"),
    [
        ("-", "everything after the first 0 bytes: time limit reached"),
        ("/dev/zero", "zero bytes, which hold no text"),
    ],
)
def test_a_deadline_bounds_what_never_ends(target: str, unread: str) -> None:
    argv = (sys.executable, "-m", "pipedoctor", "explain", target, "--deadline", "1.5")
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        began = time.monotonic()
        assert process.wait(timeout=20) == 3
        assert process.stderr is not None
        assert unread in process.stderr.read().decode()

    assert time.monotonic() - began < 15


def test_a_file_of_nothing_but_zeros_is_not_called_empty(tmp_path: Path, run: Run) -> None:
    sparse = tmp_path / "log"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)

    done = run("explain", str(sparse))

    assert done.exit_code == 3
    assert done.stdout.startswith("No line of text was read: 1099511627776 zero bytes")


def test_a_log_that_was_not_read_whole_is_no_good_news() -> None:
    log = Log(lines=9, unread=("lines 3 to 9 were counted but not judged: time limit reached",))

    found = explain_log(log, load_signatures(), facts=lambda _: Facts())

    assert not found.not_environment
    assert found.unread == log.unread
