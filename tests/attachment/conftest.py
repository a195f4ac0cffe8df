"""A state folder of one's own, and a report that fills pages."""

from pathlib import Path

import pytest

from pipedoctor.catalogue import installed
from pipedoctor.examine import Standards, reexamine
from pipedoctor.redact import Level, Redactor
from pipedoctor.report.model import Report

MACHINES = Path(__file__).parents[1] / "machines"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where state is kept: ``aliases.json`` and ``reports``."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "pipedoctor"


@pytest.fixture(scope="session")
def container() -> Report:
    """A container with three findings."""
    record = (MACHINES / "container.json").read_bytes()
    standards = Standards(redactor=Redactor(Level.PUBLIC))
    return reexamine(installed(), record, None, standards)
