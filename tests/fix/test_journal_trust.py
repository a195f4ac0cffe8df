"""The journal trusts nothing that somebody else can write."""

import contextlib
import grp
import json
import os
import pwd
import re
import stat
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipedoctor.cli.fix import command
from pipedoctor.fix import engine, journals
from pipedoctor.fix.current_value import Gauge, read_start_time
from pipedoctor.fix.engine import LockedJournal
from pipedoctor.fix.entry import Authenticity, DamagedEntry, FixState, JournalEntry
from pipedoctor.fix.lock import hold_lock
from pipedoctor.fix.plan import CommandStep, StepFailedError, WriteStep
from pipedoctor.runtime import state_dir
from tests.fix.workshop import carried_out, nothing, plan, proved, touching

STRANGER = 1234
LOADED = (grp, pwd)  # another user may not be able to read the interpreter's modules
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of other users")


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where root goes when the own folder cannot be trusted: never the real one."""
    folder = tmp_path / "var"
    monkeypatch.setattr(state_dir, "MACHINE_FOLDER", str(folder))
    return folder / "pipedoctor/journal"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


@pytest.fixture
def book(state: Path) -> Path:
    """The user's own journal, empty."""
    assert journals.find_writable().root == state / "pipedoctor/journal"
    return state / "pipedoctor/journal"


@contextlib.contextmanager
def working() -> Generator[LockedJournal, None, None]:
    journal = journals.find_writable()
    with hold_lock(journal.folder) as lock:
        yield LockedJournal(journal=journal, lock=lock)


def fix(*args: str) -> Any:
    return CliRunner().invoke(command, list(args))


def unseal(entry: Path) -> None:
    """As 0.1 has written it."""
    text = (entry / "entry.json").read_bytes()
    (entry / "entry.json").write_bytes(re.sub(rb'\s*"seal": "[0-9a-f]+",', b"", text))


def noted(folder: Path, *, name: str = "file") -> Path:
    """A finished fix that has changed a file from ``before`` to ``after``."""
    path = folder / name
    path.write_bytes(b"before")
    with working() as shop:
        entry = carried_out(shop, WriteStep(path=str(path), content=b"after", found=b"before"))
        return shop.journal.root / entry.id


def test_the_journal_is_private_and_its_entries_are_sealed(book: Path, tmp_path: Path) -> None:
    entry = noted(tmp_path)

    assert stat.S_IMODE(book.stat().st_mode) == 0o700
    assert stat.S_IMODE((book / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE((entry / "entry.json").stat().st_mode) == 0o600
    (read,) = journals.find_writable().read_entries()
    assert isinstance(read, JournalEntry)
    assert read.is_genuine


def test_what_the_file_says_of_its_own_seal_does_not_count(book: Path, tmp_path: Path) -> None:
    entry = noted(tmp_path)
    unseal(entry)
    text = (entry / "entry.json").read_text()
    (entry / "entry.json").write_text(text.replace("{", '{"authenticity": "genuine",', 1))

    (read,) = journals.find_writable().read_entries()

    assert isinstance(read, JournalEntry)
    assert read.authenticity is Authenticity.UNSEALED
    assert book.exists()


@pytest.mark.usefixtures("book")
def test_an_entry_of_0_1_is_listed_and_undone_only_by_force(tmp_path: Path) -> None:
    entry = noted(tmp_path)
    unseal(entry)

    assert f"{entry.name}   proved (no seal)" in fix("--history").output
    refused = fix("--undo", entry.name, "--yes")
    assert refused.exit_code == 1
    assert f"restore {tmp_path}/file" in refused.output
    assert "+ before" in refused.output
    assert "--force undoes what the plan above shows" in refused.output
    assert (tmp_path / "file").read_bytes() == b"after"
    assert fix("--undo", entry.name, "--yes", "--force").exit_code == 0
    assert (tmp_path / "file").read_bytes() == b"before"


@pytest.mark.usefixtures("book")
def test_a_command_without_types_in_an_unsealed_entry_is_never_run(tmp_path: Path) -> None:
    with working() as shop:
        entry = carried_out(shop, touching(tmp_path / "ran"))
    unseal(shop.journal.root / entry.id)

    done = fix("--undo", entry.id, "--yes", "--force")

    assert done.exit_code == 1
    assert "not of a kind that fix can build itself" in done.output
    assert (tmp_path / "ran").exists()


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("before", ["; reboot", "1 -o bind", "abc", "1\n2", ""])
def test_values_that_make_no_command_are_refused(before: str) -> None:
    me = os.getpid()
    gauge = Gauge(kind="nofile", key=f"{me}:{read_start_time(me)}")
    step = CommandStep(argv=("true",), undo=("true",), gauge=gauge, before=before, after="1:1")
    with working() as shop:
        entry = engine.record_plan(shop, plan(step))
        shop.journal.save(entry, state=FixState.PROVED, step=1)

    done = fix("--undo", entry.id, "--yes", "--force")

    assert done.exit_code == 1
    assert "is not a value of nofile" in done.output


@pytest.mark.usefixtures("book")
def test_an_altered_entry_is_told_from_ours(tmp_path: Path) -> None:
    entry = noted(tmp_path)
    victim = tmp_path / "victim"
    victim.write_bytes(b"after")
    text = (entry / "entry.json").read_text()
    (entry / "entry.json").write_text(text.replace(f"{tmp_path}/file", str(victim)))

    done = fix("--undo", "--yes")

    assert done.exit_code == 1
    assert "was altered" in done.output
    assert victim.read_bytes() == b"after"


@pytest.mark.usefixtures("book")
def test_a_doubtful_wreck_is_named_and_stops_nobody(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    whole = plan(WriteStep(path=str(path), content=b"after", found=b"before"))
    with working() as shop:
        entry = engine.execute_plan(shop, engine.record_plan(shop, whole), whole, nothing, proved)
        shop.journal.save(entry, state=FixState.APPLYING)
    unseal(shop.journal.root / entry.id)

    done = fix("--undo", "2000-01-01-1", "--yes")

    assert f"fix {entry.id} was interrupted" in done.output
    assert f"pipedoctor fix --undo {entry.id} --force" in done.output
    assert path.read_bytes() == b"after"
    assert "there is no fix 2000-01-01-1" in done.output


def test_what_is_no_entry_is_named_and_left_alone(book: Path, tmp_path: Path) -> None:
    """A folder of the user's in it, and one that 0.1 would have swept away."""
    (book / "mine").mkdir()
    (book / "mine/thesis").write_text("years")
    (book / "2026-01-01-7").mkdir()
    (book / "2026-01-01-7/thesis").write_text("years")
    (book / "2026-01-01-8").symlink_to(tmp_path)
    (book / ".pipedoctor-0123456789abcdef").mkdir()
    (book / ".pipedoctor-0123456789abcdef/thesis").write_text("years")

    noted(tmp_path)
    with working() as shop:
        shop.journal.remove_drafts()
    done = fix("--history", "--format", "json")

    assert len(list(book.glob("**/thesis"))) == 3
    foreign = {item["name"]: item["reason"] for item in json.loads(done.output)["foreign"]}
    assert foreign == {
        "mine": "not an entry of the journal",
        "2026-01-01-7": "it has no entry.json",
        "2026-01-01-8": "it is a link",
    }
    assert f"left alone: {book}/mine" in fix("--history").output


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("linked", ["pipedoctor", "pipedoctor/journal"])
def test_a_linked_journal_is_not_followed(
    state: Path, tmp_path: Path, machine: Path, linked: str
) -> None:
    theirs = tmp_path / "theirs"
    (theirs / "journal/2026-01-01-1").mkdir(parents=True)
    theirs.chmod(0o755)
    (state / linked).parent.mkdir(parents=True)
    (state / linked).symlink_to(theirs)

    if os.geteuid():
        with pytest.raises(StepFailedError, match="is a link"):
            journals.find_writable()
    else:
        assert journals.find_writable().root == machine
        noted(tmp_path)
    assert (theirs / "journal/2026-01-01-1").exists()
    assert stat.S_IMODE(theirs.stat().st_mode) == 0o755
    assert [p.name for p in theirs.iterdir()] == ["journal"]


@needs_root
def test_root_is_told_which_journal_is_not_read(state: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (state / "pipedoctor").mkdir(parents=True)
    (state / "pipedoctor/journal").symlink_to(tmp_path / "theirs")

    listed = fix("--history").output

    assert f"journal not read: {state}/pipedoctor/journal is a link" in listed
    assert "no fix is known" in listed
    assert "No such file" not in listed


def test_a_linked_lock_is_not_written(book: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    (book / "lock").symlink_to(victim)

    with pytest.raises(OSError, match="is not a regular file"), working():
        pass
    (book / "lock").unlink()
    os.link(victim, book / "lock")
    with pytest.raises(OSError, match="has another name"), working():
        pass

    assert victim.read_text() == "theirs"


def make_sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


ODD_FILES: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a link to endless zeros": lambda path: path.symlink_to("/dev/zero"),
    "a sparse terabyte": make_sparse,
    "a folder": Path.mkdir,
    "not for us": lambda path: path.symlink_to("/nowhere"),
    "nested too deep": lambda path: path.write_bytes(b'{"id":' + b"[" * 100_000),
}


@pytest.mark.parametrize("make", ODD_FILES.values(), ids=ODD_FILES)
def test_an_odd_entry_neither_hangs_nor_fills_anything(
    book: Path, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    good = noted(tmp_path)
    odd = book / "2026-01-01-1"
    odd.mkdir()
    make(odd / "entry.json")

    entries = journals.find_writable().read_entries()

    assert [(type(e), e.id) for e in entries] == [
        (DamagedEntry, odd.name),
        (JournalEntry, good.name),
    ]
    assert fix("--undo", "--yes").exit_code == 0


@pytest.mark.parametrize("make", ODD_FILES.values(), ids=ODD_FILES)
def test_an_odd_backup_is_not_restored(
    book: Path, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    entry = noted(tmp_path)
    (entry / "0.backup").unlink()
    make(entry / "0.backup")

    assert fix("--undo", "--yes").exit_code == 1
    assert (tmp_path / "file").read_bytes() == b"after"
    assert book.exists()


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
def test_roots_own_home_is_used(
    tmp_path: Path, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert noted(tmp_path).parent == tmp_path / ".local/state/pipedoctor/journal"
    monkeypatch.setenv("HOME", str(tmp_path / "missing"))
    assert journals.find_writable().root == machine
    assert not (tmp_path / "missing").exists()


@pytest.mark.usefixtures("book")
def test_a_key_that_others_can_read_seals_nothing(book: Path, tmp_path: Path) -> None:
    noted(tmp_path)
    (book / "key").chmod(0o644)

    with pytest.raises(OSError, match="can be read by others"):
        noted(tmp_path, name="other")
    assert (tmp_path / "other").read_bytes() == b"before"
    assert "(altered)" in fix("--history").output


@pytest.mark.usefixtures("book")
def test_the_folder_stays_the_one_that_was_verified(state: Path, tmp_path: Path) -> None:
    """Replaced while it is open, it is not followed."""
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with working() as shop:
        (state / "pipedoctor").rename(tmp_path / "moved")
        (state / "pipedoctor/journal").mkdir(parents=True)
        carried_out(shop, WriteStep(path=str(path), content=b"after", found=b"before"))

    assert list((state / "pipedoctor/journal").iterdir()) == []
    assert list((tmp_path / "moved/journal").glob("*/entry.json"))


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
