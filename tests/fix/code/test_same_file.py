"""`fix --code` edits the very file that was shown, or none."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pipedoctor.cli.fix import command
from pipedoctor.fix.code import apply as applying
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.files import held_file

BAD = (
    "from torch.utils.data import DataLoader\n\n\ndef make(data):\n"
    "    return DataLoader(data, persistent_workers=True)\n"
)
GOOD = BAD.replace("persistent_workers=True", "persistent_workers=False")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg/train.py").write_text(BAD)
    monkeypatch.chdir(folder)
    return folder


def fix(*args: str) -> Result:
    select = ("--select", "persistent-with-zero-workers")
    return CliRunner().invoke(command, ["--code", *select, *args])


def meanwhile(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Let this happen while the user reads the plan."""

    def consent(*_: Any) -> None:
        change()

    monkeypatch.setattr(Console, "require_consent", consent)


def link_elsewhere(project: Path) -> None:
    outside = project.parent / "outside.py"
    outside.write_text(BAD)
    (project / "pkg/train.py").unlink()
    (project / "pkg/train.py").symlink_to(outside)


def link_folder_elsewhere(project: Path) -> None:
    (project / "pkg").rename(project.parent / "outside")
    (project / "pkg").symlink_to(project.parent / "outside")


def replace_with_copy(project: Path) -> None:
    copy = project / "copy"
    shutil.copy(project / "pkg/train.py", copy)
    copy.replace(project / "pkg/train.py")


def replace_folder_with_copy(project: Path) -> None:
    (project / "pkg").rename(project / "old")
    shutil.copytree(project / "old", project / "pkg")


def change_content(project: Path) -> None:
    (project / "pkg/train.py").write_text(BAD.replace("make", "mine"))


CHANGES: dict[str, Callable[[Path], object]] = {
    "was replaced by a link": link_elsewhere,
    "was replaced: Not a directory": link_folder_elsewhere,
    "was replaced by another file": replace_with_copy,
    "was replaced by another folder": replace_folder_with_copy,
    "was changed by another process": change_content,
    "is gone": lambda project: (project / "pkg/train.py").unlink(),
    "the mode of": lambda project: (project / "pkg/train.py").chmod(0o600),
    "hard links to": lambda project: os.link(project / "pkg/train.py", project / "other"),
}


def describe(top: Path) -> dict[str, tuple[int, str]]:
    """Mode and content of every file, those outside of the project too."""
    return {
        str(path): (path.stat().st_mode, path.read_text())
        for path in sorted(top.rglob("*"))
        if path.is_file() and "state" not in path.relative_to(top).parts
    }


@pytest.mark.parametrize("keep_open", [True, pytest.param(False, marks=pytest.mark.extended)])
@pytest.mark.parametrize(("why", "change"), CHANGES.items(), ids=CHANGES)
def test_what_changes_during_the_prompt_is_not_edited(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    why: str,
    change: Callable[[Path], object],
    keep_open: bool,
) -> None:
    """Also of files beyond those that can stay open."""
    monkeypatch.setattr(held_file, "MAX_OPEN_FILES", 200 if keep_open else 0)
    seen: list[dict[str, tuple[int, str]]] = []

    def act() -> None:
        change(project)
        seen.append(describe(project.parent))

    meanwhile(monkeypatch, act)

    done = fix("pkg")

    assert done.exit_code == 1
    assert why in done.output
    assert [describe(project.parent)] == seen


def test_an_owner_that_changes_is_noticed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid():
        pytest.skip("only root gives files away")
    meanwhile(monkeypatch, lambda: os.chown(project / "pkg/train.py", 1234, 1234))

    assert "the owner of" in fix("pkg").output
    assert (project / "pkg/train.py").read_text() == BAD


def test_a_change_while_it_is_written_is_noticed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = held_file.HeldFile.write_draft

    def write_slowly(*args: Any) -> None:
        write(*args)
        link_elsewhere(project)

    monkeypatch.setattr(held_file.HeldFile, "write_draft", write_slowly)

    done = fix("pkg", "--yes")

    assert done.exit_code == 1
    assert (project.parent / "outside.py").read_text() == BAD
    assert sorted(p.name for p in (project / "pkg").iterdir()) == ["train.py"]


def test_a_file_with_several_names_is_refused(project: Path) -> None:
    os.link(project / "pkg/train.py", project.parent / "other.py")

    done = fix("pkg", "--yes")

    assert done.exit_code == 1
    assert "has 2 hard links" in done.output
    assert (project / "pkg/train.py").read_text() == BAD


def test_mode_and_owner_stay(project: Path) -> None:
    path = project / "pkg/train.py"
    path.chmod(0o750)
    if not os.geteuid():
        os.chown(path, 1234, 5678)
    before = path.stat()

    assert fix("pkg", "--yes").exit_code == 0
    assert path.read_text() == GOOD
    assert path.stat()[:1] + path.stat()[4:6] == before[:1] + before[4:6]


@pytest.mark.extended
def test_no_name_of_the_user_is_taken(project: Path) -> None:
    """Among them the name that 0.1 gave to its draft, and removed."""
    mine = project / "pkg/.train.py.pipedoctor"
    mine.write_text("mine")

    assert fix("pkg", "--yes").exit_code == 0
    assert CliRunner().invoke(command, ["--undo", "--yes"]).exit_code == 0
    assert mine.read_text() == "mine"
    assert (project / "pkg/train.py").read_text() == BAD


def die(*_: object) -> str:
    os._exit(9)


def test_after_a_kill_the_same_command_succeeds(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written and not proved is taken back before anything is planned."""
    pid = os.fork()
    if not pid:
        monkeypatch.setattr(applying, "_verify_edits", die)
        fix("pkg", "--yes")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert (project / "pkg/train.py").read_text() == GOOD

    done = fix("pkg", "--yes")

    assert done.exit_code == 0, done.output
    assert "was interrupted" in done.output
    assert "done and proved" in done.output
    assert (project / "pkg/train.py").read_text() == GOOD


def test_an_undo_follows_no_link(project: Path) -> None:
    fix("pkg", "--yes")
    outside = project.parent / "outside.py"
    outside.write_text(GOOD)
    (project / "pkg/train.py").unlink()
    (project / "pkg/train.py").symlink_to(outside)

    for force in ((), ("--force",)):
        done = CliRunner().invoke(command, ["--undo", "--yes", *force])
        assert done.exit_code == 1
        assert "is a link" in done.output
    assert outside.read_text() == GOOD


@pytest.mark.extended
def test_an_undo_separates_no_hard_links_unasked(project: Path) -> None:
    fix("pkg", "--yes")
    os.link(project / "pkg/train.py", project / "other")

    done = CliRunner().invoke(command, ["--undo", "--yes"])

    assert done.exit_code == 1
    assert "has 2 hard links now" in done.output
    assert CliRunner().invoke(command, ["--undo", "--yes", "--force"]).exit_code == 0
    assert (project / "pkg/train.py").read_text() == BAD
    assert (project / "other").read_text() == GOOD


@pytest.mark.extended
def test_a_later_mode_stays_when_it_is_undone(project: Path) -> None:
    fix("pkg", "--yes")
    (project / "pkg/train.py").chmod(0o755)

    assert CliRunner().invoke(command, ["--undo", "--yes"]).exit_code == 0
    assert (project / "pkg/train.py").read_text() == BAD
    assert (project / "pkg/train.py").stat().st_mode & 0o777 == 0o755
