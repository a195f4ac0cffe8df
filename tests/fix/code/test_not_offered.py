"""Where nothing can be edited, `fix --code` says for which finding, and why."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipedoctor.cli.fix import command

DATA = """
from PIL import Image
from torch.utils.data import DataLoader, Dataset

class Photos(Dataset):
    def __init__(self, files):
        self.files = files
    def __len__(self):
        return len(self.files)
    def __getitem__(self, index):
        return Image.open(self.files[index])

def build(files):
    return DataLoader(
        Photos(files), 8, shuffle=True, num_workers=4, pin_memory=True, persistent_workers={kept}
    )
"""
TRAIN = """
from data import build

def train(files, net, opt):
    loader = build(files)
    for epoch in range(9):
        for x in loader:
            loss = net(x.cuda({copy}))
            loss.backward()
            opt.step()
            print(loss.item())
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "data.py").write_text(DATA.format(kept=True))
    (folder / "train.py").write_text(TRAIN.format(copy=""))
    monkeypatch.chdir(folder)
    return folder


def fix(*args: str) -> Result:
    return CliRunner().invoke(command, ["--code", *args])


@pytest.mark.usefixtures("project")
def test_what_needs_other_files_is_named() -> None:
    done = fix("train.py")

    assert done.exit_code == 0
    assert "2 more show only together with the other files, by pipedoctor fix --code .:" in (
        done.stdout
    )
    assert "train.py:8  pinned-blocking" in done.stdout
    assert "train.py:11  sync-in-loop" in done.stdout


@pytest.mark.usefixtures("project")
def test_a_dry_run_says_so_beside_an_empty_diff() -> None:
    done = fix("train.py", "--dry-run")

    assert done.stdout == ""
    assert "nothing to do: no finding here can be fixed by a safe edit" in done.stderr
    assert "train.py:8  pinned-blocking" in done.stderr


def test_what_has_no_edit_is_named_with_what_helps(project: Path) -> None:
    (project / "train.py").write_text(TRAIN.format(copy="non_blocking=True"))
    done = fix(".")

    assert "train.py:11  sync-in-loop: by hand: Accumulate on the device" in done.stdout
    assert "together with" not in done.stdout


def test_what_is_kept_on_purpose_is_named_with_the_reason(project: Path) -> None:
    (project / "train.py").write_text(TRAIN.format(copy="non_blocking=True"))
    (project / "data.py").write_text(DATA.format(kept=False))
    done = fix(".", "--select", "persistent-workers-missing")

    assert "persistent-workers-missing: persistent_workers=False is set explicitly" in done.stdout


def test_nothing_is_said_of_files_that_show_nothing_together(project: Path) -> None:
    (project / "train.py").write_text("import torch\n")

    assert fix("data.py").stdout.splitlines() == [
        "nothing to do: no finding here can be fixed by a safe edit"
    ]
