"""Set arguments of one loader, as `tune --apply` does."""

from pathlib import Path

import click
import pytest

from pipedoctor.fix.code.set_arguments import plan_arguments, set_arguments
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.plan.plan import FixRefusedError
from pipedoctor.fix.request.named_checks import Examination
from tests.fix.code.conftest import HEAD

CODE = HEAD + (
    "train = DataLoader(\n    Images([]),\n    batch_size=4,\n)\n"
    "other = DataLoader(Images([]), **args)\n"
)
LINE = HEAD.count("\n") + 1
WANTED = {"num_workers": 4, "prefetch_factor": 8, "persistent_workers": True}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(CODE)
    return path


def counter(*, dry_run: bool = False) -> Console:
    return Console(click.echo, lambda _: True, yes=True, dry_run=dry_run)


def test_it_is_set_and_set_once(path: Path, examination: Examination) -> None:
    code = set_arguments(counter(), examination, str(path), LINE + 2, WANTED)

    assert code == 0
    assert path.read_text() == CODE.replace(
        "batch_size=4,\n",
        "batch_size=4,\n    num_workers=4,\n    prefetch_factor=8,\n    persistent_workers=True,\n",
    )
    assert plan_arguments(examination, str(path), LINE, WANTED) is None
    assert set_arguments(counter(), examination, str(path), LINE, WANTED) == 0


def test_a_dry_run_writes_nothing(path: Path, examination: Examination) -> None:
    shown = counter(dry_run=True)

    assert set_arguments(shown, examination, str(path), LINE, WANTED) == 0
    assert path.read_text() == CODE


def test_true_is_not_one(path: Path, examination: Examination) -> None:
    path.write_text(CODE.replace("batch_size=4", "batch_size=True"))

    plan = plan_arguments(examination, str(path), LINE, {"batch_size": 1})

    assert plan is not None
    assert plan.after == "with batch_size=1"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (1, f"no DataLoader is made at line 1; they are at: {LINE}, {LINE + 4}"),
        (LINE + 4, "its arguments are set elsewhere"),
    ],
)
def test_what_cannot_be_set(path: Path, examination: Examination, line: int, why: str) -> None:
    with pytest.raises(FixRefusedError, match=why):
        set_arguments(counter(), examination, str(path), line, WANTED)
    assert path.read_text() == CODE


def test_a_read_only_file(path: Path, examination: Examination) -> None:
    path.chmod(0o444)

    with pytest.raises(FixRefusedError, match="read-only"):
        plan_arguments(examination, str(path), LINE, WANTED)
