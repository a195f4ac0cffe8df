"""A journal that another user can write: what root and other users do with it."""

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipedoctor.fix.engine import engine
from pipedoctor.fix.journal import journals
from pipedoctor.fix.plan.plan import StepFailedError, WriteStep
from tests.fix.journal_trust.conftest import fix, noted, working
from tests.fix.workshop import nothing, plan, proved

STRANGER = 1234
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of other users")


@needs_root
def test_root_is_told_which_journal_is_not_read(state: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (state / "pipedoctor").mkdir(parents=True)
    (state / "pipedoctor/journal").symlink_to(tmp_path / "theirs")

    listed = fix("--history").output

    assert f"journal not read: {state}/pipedoctor/journal is a link" in listed
    assert "no fix is known" in listed
    assert "No such file" not in listed


@needs_root
def test_an_entry_that_another_user_planted_is_none(book: Path, tmp_path: Path) -> None:
    planted = noted(tmp_path)
    for path in (planted, *planted.iterdir()):
        os.chown(path, STRANGER, STRANGER)

    history = fix("--history").output
    done = fix("--undo", "--yes")

    assert f"left alone: {planted}: it belongs to user {STRANGER}" in history
    assert "nothing to do" in done.output
    assert (tmp_path / "file").read_bytes() == b"after"
    assert book.exists()


@needs_root
@pytest.mark.usefixtures("book")
def test_an_entry_whose_file_is_another_users_is_refused(tmp_path: Path) -> None:
    entry = noted(tmp_path)
    os.chown(entry / "entry.json", STRANGER, STRANGER)

    done = fix("--undo", "--yes")

    assert done.exit_code == 1
    assert f"it belongs to user {STRANGER}" in done.output


@needs_root
@pytest.mark.usefixtures("book")
def test_a_link_that_another_user_laid_is_not_written_through(tmp_path: Path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "link"
    victim.write_bytes(b"before")
    link.symlink_to(victim)
    whole = plan(WriteStep(path=str(link), content=b"after", found=b"before"))
    with working() as shop:
        os.chown(link, STRANGER, STRANGER, follow_symlinks=False)
        with pytest.raises(StepFailedError, match=f"is a link that belongs to user {STRANGER}"):
            engine.record_plan(shop, whole)
        os.chown(link, 0, 0, follow_symlinks=False)
        engine.execute_plan(shop, engine.record_plan(shop, whole), whole, nothing, proved)

    assert victim.read_bytes() == b"after"
    assert link.is_symlink()


@needs_root
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o757])
@pytest.mark.parametrize("level", ["", "pipedoctor", "pipedoctor/journal"])
def test_a_folder_that_others_can_write_is_not_used(
    state: Path, machine: Path, level: str, mode: int
) -> None:
    (state / "pipedoctor/journal").mkdir(parents=True)
    (state / level).chmod(mode)

    assert journals.find_writable().root == machine
    assert "can be written by" in "".join(journals.find_journals().refused)


@needs_root
def test_a_sticky_folder_above_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "tmp/mine"))

    assert journals.find_writable().root == tmp_path / "tmp/mine/pipedoctor/journal"


@needs_root
def test_root_with_the_home_of_a_user_uses_the_machines(
    tmp_path: Path, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither blocked by the user's journal, nor served by it."""
    home = tmp_path / "home"
    theirs = home / ".local/state/pipedoctor/journal/2026-01-01-1"
    theirs.mkdir(parents=True)
    (theirs / "entry.json").write_text("{}")
    for path in (home, *home.rglob("*")):
        os.chown(path, STRANGER, STRANGER)
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(home))

    entry = noted(tmp_path)

    assert entry.parent == machine
    assert stat.S_IMODE((entry / "entry.json").stat().st_mode) == 0o644
    assert stat.S_IMODE((entry / "0.backup").stat().st_mode) == 0o600
    assert [p.name for p in theirs.parent.iterdir()] == ["2026-01-01-1"]
    assert fix("--undo", "--yes").exit_code == 0
    assert (tmp_path / "file").read_bytes() == b"before"


@needs_root
@pytest.mark.parametrize("words", [("--undo", "--yes"), ("--history",)], ids=["undo", "history"])
def test_a_user_is_told_that_the_journal_is_not_read(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a fix is in force is unknown then, and nothing says that none is."""
    with tempfile.TemporaryDirectory() as home:
        journal = Path(home) / ".local/state/pipedoctor/journal"
        journal.mkdir(parents=True)
        for path in (Path(home), *Path(home).rglob("*")):
            os.chown(path, STRANGER, STRANGER)
        journal.chmod(0o777)
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        monkeypatch.setenv("HOME", home)

        describe_end(*words)  # another user may not be able to read what is imported late

        done = as_user(STRANGER, lambda: describe_end(*words))

    assert done.startswith("1 ")
    assert "journal not read" in done
    assert "can be written by" in done
    assert "nothing to do" not in done


@needs_root
def test_roots_own_home_is_used(
    tmp_path: Path, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert noted(tmp_path).parent == tmp_path / ".local/state/pipedoctor/journal"
    monkeypatch.setenv("HOME", str(tmp_path / "missing"))
    assert journals.find_writable().root == machine
    assert not (tmp_path / "missing").exists()


def describe_end(*words: str) -> str:
    """The exit code and what was printed."""
    done = fix(*words)
    return f"{done.exit_code} {done.output}"


def as_user(uid: int, work: Callable[[], object]) -> str:
    """What `work` gives, or raises, in a fork that runs as this user."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            os.write(writer, str(work()).encode())
        except (OSError, StepFailedError) as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    return answer


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that every user can enter, with a state folder of the stranger's."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        (Path(name) / "state").mkdir()
        os.chown(Path(name) / "state", STRANGER, STRANGER)
        monkeypatch.setenv("XDG_STATE_HOME", f"{name}/state")
        yield Path(name)


@needs_root
def test_a_user_has_a_journal_of_his_own(common: Path) -> None:
    root = as_user(STRANGER, lambda: journals.find_writable().root)

    assert root == f"{common}/state/pipedoctor/journal"
    assert Path(root).stat().st_uid == STRANGER


@needs_root
@pytest.mark.parametrize(
    ("owner", "mode", "why"),
    [
        (STRANGER + 1, 0o755, f"{{}} belongs to user {STRANGER + 1}"),
        (STRANGER, 0o777, "{} can be written by everybody"),
        (STRANGER, 0o775, f"{{}} can be written by group {STRANGER}"),
        (0, 0o755, "{}/pipedoctor: Permission denied"),
    ],
)
def test_a_user_is_refused_in_one_line(common: Path, owner: int, mode: int, why: str) -> None:
    state = common / "state"
    os.chown(state, owner, STRANGER)
    state.chmod(mode)

    answer = as_user(STRANGER, journals.find_writable)

    begin = "StepFailedError: no journal can be kept, so nothing is changed ("
    assert answer == f"{begin}{why.format(state)})"
    assert list(state.iterdir()) == []


@needs_root
def test_a_user_does_not_run_what_another_has_planted(common: Path) -> None:
    """In the own journal, which was open to others for a while."""
    as_user(STRANGER, journals.find_writable)
    planted = common / "state/pipedoctor/journal/2026-01-01-1"
    planted.mkdir()
    (planted / "entry.json").write_text("{}")
    os.chown(planted, STRANGER + 1, STRANGER + 1)

    def list_planted() -> object:
        return journals.list_journals()[0].list_foreign()

    listed = as_user(STRANGER, list_planted)

    assert f"belongs to user {STRANGER + 1}" in listed
