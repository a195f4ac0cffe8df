"""Journals of our own, entries in them, and other users."""

import contextlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipedoctor.cli.fix import command
from pipedoctor.fix.engine.engine import LockedJournal
from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.lock import hold_lock
from pipedoctor.fix.plan.plan import WriteStep
from pipedoctor.runtime import state_dir
from tests.fix.workshop import carried_out


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


def noted(folder: Path, *, name: str = "file") -> Path:
    """A finished fix that has changed a file from ``before`` to ``after``."""
    path = folder / name
    path.write_bytes(b"before")
    with working() as shop:
        entry = carried_out(shop, WriteStep(path=str(path), content=b"after", found=b"before"))
        return shop.journal.root / entry.id
