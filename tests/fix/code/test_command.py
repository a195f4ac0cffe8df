"""`pipedoctor fix --code` as a user meets it: diff, consent, journal, undo."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.fix import command
from pipedoctor.fix.code import apply as applying
from tests.fix.code.conftest import HEAD

BAD = HEAD + (
    "\ndef main(net, device):\n"
    "    loader = DataLoader(Images([]), 4)\r\n"
    "    val_loader = DataLoader(Images([]), 4, persistent_workers=True)\n"
    "    for x, y in loader:\n"
    "        x = x.to(device)\n"
    "        net(x).sum().backward()"
)
MORE = "print('ü')\nval_loader = DataLoader(Images([]), 4, prefetch_factor=2)\n"
WORSE = HEAD.replace("# ", "") + MORE


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    (folder / "my data").mkdir(parents=True)
    (folder / "train.py").write_bytes(BAD.encode())
    (folder / "my data/more.py").write_bytes(WORSE.encode())
    monkeypatch.chdir(folder)
    return folder


def fix(*args: str) -> Result:
    return CliRunner().invoke(command, ["--code", *args])


def held(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*.py"))}


@pytest.mark.slow
@pytest.mark.parametrize(
    "tool",
    [
        pytest.param(["patch", "-p0"], id="patch"),
        pytest.param(["git", "apply", "-"], id="git"),
        pytest.param(["git", "apply", "-p1", "-"], id="git -p1", marks=pytest.mark.extended),
    ],
)
def test_tools_take_the_diff(project: Path, tool: list[str]) -> None:
    before = held(project)

    done = fix("--dry-run")

    assert done.exit_code == 0, done.output
    assert held(project) == before
    binary = [*tool, "--binary"] if tool[0] == "patch" else tool
    subprocess.run(binary, input=done.stdout_bytes, check=True, cwd=project)
    patched = held(project)
    for path, content in before.items():
        Path(path).write_bytes(content)
    assert fix("--yes").exit_code == 0
    assert held(project) == patched != before


@pytest.mark.slow
@pytest.mark.parametrize("tool", [["patch", "-p0", "--binary"], ["git", "apply", "-"]])
def test_a_name_that_no_line_can_hold(project: Path, tool: list[str]) -> None:
    name = 'new\nline\x1b[31m"\\ $(x) é'
    (project / name).mkdir()
    file = project / name / "it.py"
    file.write_bytes(BAD.encode())

    done = fix("--dry-run", name)

    assert done.exit_code == 0, done.output
    assert b"\x1b" not in done.stdout_bytes
    subprocess.run(tool, input=done.stdout_bytes, check=True, cwd=project)
    patched = file.read_bytes()
    file.write_bytes(BAD.encode())
    assert fix("--yes", name).exit_code == 0
    assert file.read_bytes() == patched != BAD.encode()


def test_a_name_that_the_journal_cannot_hold_is_refused(project: Path) -> None:
    folder = os.fsdecode(b"n\xff")
    (project / folder).mkdir()
    (project / folder / "it.py").write_bytes(BAD.encode())

    done = fix("--yes", folder)

    assert done.exit_code == 1
    assert "n\\udcff/it.py has a name that is not UTF-8" in done.stderr
    assert (project / folder / "it.py").read_bytes() == BAD.encode()


def test_an_undo_brings_every_byte_back(project: Path) -> None:
    before = held(project)
    (project / "train.py").chmod(0o750)

    done = fix("--yes")
    back = CliRunner().invoke(command, ["--undo", "--yes"])

    assert "done and proved: 2 files of code edited" in done.output
    assert back.exit_code == 0, back.output
    assert held(project) == before
    assert (project / "train.py").stat().st_mode & 0o777 == 0o750


@pytest.mark.extended
def test_an_undo_does_not_take_the_users_work(project: Path) -> None:
    fix("--yes")
    path = project / "train.py"
    path.write_bytes(path.read_bytes() + b"\n# mine\n")

    back = CliRunner().invoke(command, ["--undo", "--yes"])

    assert back.exit_code == 1
    assert "was changed after the fix" in back.output
    assert path.read_bytes().endswith(b"# mine\n")
    assert CliRunner().invoke(command, ["--undo", "--yes", "--force"]).exit_code == 0
    assert path.read_bytes() == BAD.encode()


def test_the_journal_knows_it(project: Path) -> None:
    fix("--yes", "train.py")

    done = CliRunner().invoke(command, ["--history", "--format", "json"])

    (entry,) = json.loads(done.output)["entries"]
    assert entry["state"] == "proved"
    assert entry["subject"] == str(project / "train.py")
    assert entry["before"] == "with 2 findings"


def test_what_check_leaves_out_is_not_edited(project: Path) -> None:
    before = held(project)
    (project / "pipedoctor.toml").write_text('extend-exclude = ["my data"]')
    assert fix("--yes").exit_code == 0
    other = str(project / "my data/more.py")

    assert held(project)[other] == before[other]
    assert held(project) != before


def test_what_git_ignores_is_edited_where_check_reads_it(project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("train.py")
    assert "train.py" not in fix("--dry-run").stdout
    (project / "pipedoctor.toml").write_text("no-gitignore = true")

    assert "train.py" in fix("--dry-run").stdout


def test_nobody_is_asked_without_a_terminal(project: Path) -> None:
    before = held(project)
    done = fix()

    assert done.exit_code == 1
    assert "no terminal to ask on" in done.output
    assert held(project) == before


@pytest.mark.usefixtures("project")
def test_a_second_run_has_nothing_to_do(snapshot: SnapshotAssertion) -> None:
    fix("--yes")
    again = fix("--yes")

    assert again.exit_code == 0, again.output
    assert again.output == snapshot
    assert not fix("--dry-run").stdout_bytes.strip()


@pytest.mark.usefixtures("project")
def test_what_would_be_unsafe_is_told_with_its_reason(snapshot: SnapshotAssertion) -> None:
    done = fix("--dry-run", "train.py")

    assert done.stderr == snapshot
    assert "unsafe" not in done.stdout


def test_what_the_user_names_and_no_more(project: Path) -> None:
    done = fix("--yes", "--select", "PDR104,PDR101", "--unsafe", "--ignore", "PDR101")

    assert done.exit_code == 0
    text = (project / "train.py").read_text("utf-8")
    assert "persistent_workers=False" in text
    assert "num_workers" not in text


def test_a_comment_keeps_the_code(project: Path) -> None:
    path = project / "train.py"
    line = "persistent_workers=True)"
    path.write_text(path.read_text().replace(line, f"{line}  # pipedoctor: ignore"))

    assert fix("--dry-run", "train.py", "--select", "PDR104").stdout == ""


def test_what_is_not_proved_is_taken_back(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = held(project)

    def unproved(*_: object) -> str:
        return "it is not cured"

    monkeypatch.setattr(applying, "_verify_edits", unproved)

    done = fix("--yes")

    assert done.exit_code == 1
    assert "failed: it is not cured; it was rolled back" in done.output
    assert held(project) == before


def test_a_file_that_changed_meanwhile_is_left_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = applying.plan_file_writes

    def meanwhile(*args: object) -> object:
        (project / "train.py").write_text("mine = 1\n")
        return plan(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(applying, "plan_file_writes", meanwhile)

    done = fix("--yes", "train.py")

    assert done.exit_code == 1
    assert "nothing was changed" in done.output
    assert "changed after the plan was made" in done.output
    assert (project / "train.py").read_text() == "mine = 1\n"


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--code", "--shm", "5G"], "cannot be combined with --shm"),
        (["--unsafe", "PDR701"], "require --code"),
        (["--code", "nowhere.py"], "nowhere.py: No such file"),
        (["--code", "--select", "PDR99x"], "not the name, code or code prefix"),
    ],
)
def test_wrong_usage_is_one_line(project: Path, args: list[str], why: str) -> None:
    done = CliRunner().invoke(command, args)

    assert done.exit_code == 2
    assert why in done.output
    assert set(held(project)) == {str(project / name) for name in ("train.py", "my data/more.py")}


def streamed(code: bytes, *args: str) -> Result:
    return CliRunner().invoke(command, ["--code", "-", *args], input=code)


def test_code_from_stdin_goes_to_stdout() -> None:
    crlf = BAD.encode().replace(b"\n", b"\r\n")

    done = streamed(crlf, "--select", "PDR104", "--stdin-filename", "x.py")

    old, new = b"persistent_workers=True", b"persistent_workers=False"
    assert done.stdout_bytes == crlf.replace(old, new)
    assert "x.py:" in done.stderr
    assert streamed(done.stdout_bytes, "--select", "PDR104").stdout_bytes == (done.stdout_bytes)


def test_code_from_stdin_as_a_diff() -> None:
    done = streamed(BAD.encode(), "--select", "PDR104", "--dry-run")

    assert "+val_loader = " in done.stdout or "persistent_workers=False" in done.stdout
    assert done.stdout.startswith("--- ./<stdin>\n")


@pytest.mark.parametrize(
    ("code", "args", "why"),
    [
        (b"def (", (), "<stdin>: line 1: "),
        (b"", ("train.py",), "`-` cannot be combined"),
        (b"", ("--measure", "x.py:f"), "`-` cannot be combined"),
    ],
)
def test_what_cannot_be_streamed(code: bytes, args: tuple[str, ...], why: str) -> None:
    done = streamed(code, *args)

    assert done.exit_code == 2
    assert why in done.output


def test_a_file_that_is_no_python_is_named(project: Path) -> None:
    for number in range(9):
        (project / f"broken{number}.py").write_text("import torch\nx = (\n")

    done = fix("--dry-run")

    assert "not read: broken0.py: line 2: '(' was never closed" in done.stderr
    assert "not read: 1 more" in done.stderr
