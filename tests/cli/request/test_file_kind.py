"""A file that was given to the wrong command is named, with the command that reads it."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipedoctor.cli.request.file_kind import identify_file

if TYPE_CHECKING:
    from tests.cli.conftest import Run

ENVIRONMENT = "Collecting environment information...\nPyTorch version: 2.1.0+cu121\n"
LOG = 'Traceback (most recent call last):\n  File "a.py", line 1\nRuntimeError: Bus error\n'
REPORT = '{"schema": "pipedoctor.report/1", "created": "2026", "facts": {}}'
CODE = "import torch\nprint(torch)\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "ticket.txt": ENVIRONMENT,
        "job.log": LOG,
        "issue.md": f"{LOG}\n{ENVIRONMENT}",
        "r.json": REPORT,
        "train.py": CODE,
        "noext": CODE,
        "diff.json": '{"schema": "pipedoctor.tuning/1"}',
        "notes.txt": "buy milk\n",
        "data.bin": "\0\1\2",
        "page.html": '<!doctype html><script type="application/json" id="record">{}</script>',
    }.items():
        Path(name).write_text(text)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ticket.txt", "environment"),
        ("job.log", "log"),
        ("issue.md", "log"),
        ("r.json", "report"),
        ("page.html", "report"),
        ("diff.json", "report"),
        ("train.py", "code"),
        ("noext", "code"),
        ("notes.txt", ""),
        ("data.bin", ""),
        ("absent", ""),
    ],
)
def test_what_a_file_is(name: str, kind: str) -> None:
    found = identify_file(name)

    assert (found.name if found else "") == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[rank0]: torch.cuda.OutOfMemoryError: x\n", "log"),
        ("  worker.1 ValueError\n", "log"),
        ("[rank1]:Traceback (most recent call last):\n", "log"),
        ("it was Killed\n", "log"),
        ("no such Error\n", ""),
        ("Errors are rare\n", ""),
        ("x" * 1_000_000, ""),
        ("x Error" * 100_000, ""),
        ("a b Error\n" * 100_000, ""),
        ("\n" * 1_000_000, ""),
    ],
    ids=lambda value: value[:20].strip(),
)
def test_lines_of_errors_are_found_in_linear_time(text: str, kind: str) -> None:
    Path("any.txt").write_text(text)

    found = identify_file("any.txt")  # for a million letters it took hours

    assert (found.name if found else "") == kind


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("check", "ticket.txt"), "`pipedoctor check --from ticket.txt` reads it"),
        (("check", "r.json"), "`pipedoctor check --from r.json` reads it"),
        (("check", "job.log"), "job.log is an error log: `pipedoctor explain job.log` reads it"),
        (("check", "--from", "job.log"), "`pipedoctor explain job.log` reads it"),
        (("check", "--from", "train.py"), "`pipedoctor check train.py` reads it"),
        (("check", "diff.json"), "the output of `pipedoctor tune`, which no command reads"),
        (("explain", "ticket.txt"), "`pipedoctor check --from ticket.txt` reads it"),
        (("explain", "r.json"), "r.json is a report of `pipedoctor check`"),
        (("explain", "train.py"), "train.py is code of Python: `pipedoctor check train.py`"),
        (("diff", "train.py", "r.json"), "`pipedoctor check train.py` reads it"),
    ],
)
def test_the_command_that_reads_it_is_named(run: "Run", args: tuple[str, ...], said: str) -> None:
    result = run(*args)

    assert result.exit_code == 2
    assert said in result.stderr.splitlines()[-1]
    assert result.stdout == ""


def test_an_issue_with_an_error_in_it_is_explained(run: "Run") -> None:
    assert run("explain", "issue.md").exit_code == 1
