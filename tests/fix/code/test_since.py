"""`fix --code --diff REV`: only what lies on changed lines is cured."""

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.fix import command
from tests.fix.code.conftest import HEAD, TRAIN

OLD = (
    HEAD
    + """\
def first(net):
    loader = DataLoader(Images([]), 4, persistent_workers=True)
"""
    + TRAIN
)
NEW = """\


def second(net):
    loader = DataLoader(Images([]), 8, persistent_workers=True)
"""


def git(*args: str) -> None:
    name = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(["git", *name, *args], check=True, capture_output=True)


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(OLD)
    git("init", "-q")
    git("add", "train.py")
    git("commit", "-qm", "old")
    return path


def fix(*args: str, code: bytes | None = None) -> Result:
    asked = ["--code", "--diff", "HEAD", "--select", "PDR104", *args]
    return CliRunner().invoke(command, asked, input=code)


def test_what_did_not_change_stays(script: Path, snapshot: SnapshotAssertion) -> None:
    script.write_text("# moved\n" + OLD)

    done = fix("--yes", "train.py")

    assert done.exit_code == 0, done.output
    assert done.output == snapshot
    assert script.read_text() == "# moved\n" + OLD


def test_of_two_only_the_new_one_is_cured(script: Path, snapshot: SnapshotAssertion) -> None:
    script.write_text(OLD + NEW + TRAIN)

    done = fix("--yes")

    assert done.exit_code == 0, done.output
    cured = NEW.replace("persistent_workers=True", "persistent_workers=False")
    assert script.read_text() == OLD + cured + TRAIN
    assert fix("--yes").output == snapshot


def test_of_places_that_share_a_finding_only_the_new_one_is_cured(
    script: Path,
) -> None:
    line = "    val_loader = DataLoader(Images([]), 4, persistent_workers=True)\n"
    head, _, tail = OLD.partition("    for epoch")
    script.write_text(head + line + "    for epoch" + tail)

    done = fix("--dry-run", "--select", "PDR104")

    changed = [x for x in done.stdout.splitlines() if x[:1] in "+-"][2:]
    assert [x.split(" = ")[0].strip("+- ") for x in changed] == ["val_loader"] * 2


@pytest.mark.extended
def test_later_rounds_know_where_the_lines_went(script: Path) -> None:
    """Two edits at the end of one call take two rounds; the other call stays."""
    script.write_text(OLD + NEW.replace(", persistent_workers=True", "") + TRAIN)

    done = fix("--yes", "--unsafe", "--select", "PDR101,PDR106")

    assert done.exit_code == 0, done.output
    assert script.read_text().startswith(OLD)
    text = script.read_text()[len(OLD) :]
    assert "num_workers=" in text
    assert "persistent_workers=" in text


def test_code_of_stdin_is_compared_too(script: Path) -> None:
    typed = (OLD + NEW + TRAIN).encode()

    done = fix("-", "--stdin-filename", "train.py", code=typed)

    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(OLD)
    assert "persistent_workers=False" in done.stdout[len(OLD) :]
    assert script.read_text() == OLD


def test_a_new_file_is_new_in_every_line(script: Path) -> None:
    script.with_name("more.py").write_text(OLD)

    done = fix("--dry-run")

    assert "--- ./more.py" in done.stdout
    assert "train.py" not in done.stdout


@pytest.mark.usefixtures("script")
@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--code", "--diff", "none"], "--diff none: revision 'none' not found"),
        (["--diff", "HEAD", "PDR701"], "require --code"),
    ],
)
def test_wrong_usage_is_one_line(args: list[str], why: str) -> None:
    done = CliRunner().invoke(command, args)

    assert done.exit_code == 2
    assert why in done.output
