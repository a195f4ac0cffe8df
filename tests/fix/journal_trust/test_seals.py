"""The journal trusts no entry that it has not sealed itself."""

import grp
import os
import pwd
import re
import stat
from pathlib import Path

import pytest

from pipedoctor.fix.engine import engine
from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.entry import Authenticity, FixState, JournalEntry
from pipedoctor.fix.plan.current_value import Gauge, read_start_time
from pipedoctor.fix.plan.plan import CommandStep, WriteStep
from tests.fix.journal_trust.conftest import fix, noted, working
from tests.fix.workshop import carried_out, nothing, plan, proved, touching

LOADED = (grp, pwd)  # another user may not be able to read the interpreter's modules


def unseal(entry: Path) -> None:
    """As 0.1 has written it."""
    text = (entry / "entry.json").read_bytes()
    (entry / "entry.json").write_bytes(re.sub(rb'\s*"seal": "[0-9a-f]+",', b"", text))


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


@pytest.mark.usefixtures("book")
def test_a_key_that_others_can_read_seals_nothing(book: Path, tmp_path: Path) -> None:
    noted(tmp_path)
    (book / "key").chmod(0o644)

    with pytest.raises(OSError, match="can be read by others"):
        noted(tmp_path, name="other")
    assert (tmp_path / "other").read_bytes() == b"before"
    assert "(altered)" in fix("--history").output
