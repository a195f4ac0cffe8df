"""The hook, as pre-commit itself installs and runs it; nothing is downloaded."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
FILES = ("pyproject.toml", "README.md", "LICENSE", HOOKS.name)
CLEAN = "from torch.utils.data import DataLoader\n"
ILL = """\
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, path):
        self.file = open(path, "rb")

    def __len__(self):
        return 9

    def __getitem__(self, index):
        self.file.seek(index)
        return self.file.read(1)


loader = DataLoader(Images("x"), num_workers=2)
"""


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    argv = ["git", *who, *words]
    subprocess.run(argv, cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our sources as a repository that others name in their configuration."""
    folder = tmp_path_factory.mktemp("published")
    for name in ("pipedoctor", "checks"):
        ignored = shutil.ignore_patterns("__pycache__", ".*_cache")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps what it installed: once for all tests."""
    return tmp_path_factory.mktemp("home")


def hook(published: Path, home: Path, work: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    """Run the hook over all files, with what is installed here for dependencies."""
    settings = os.environ | {
        "PRE_COMMIT_HOME": str(home),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # "0" means: do without isolation
        "PYTHONPATH": sysconfig.get_path("purelib"),
    }
    return subprocess.run(
        [*(sys.executable, "-m", "pre_commit", "try-repo"), str(published), *args],
        cwd=work,
        env=settings,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


def test_the_manifest_is_one() -> None:
    pytest.importorskip("pre_commit")
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", str(HOOKS)],
        check=False,
        capture_output=True,
        text=True,
    )
    (one,) = yaml.safe_load(HOOKS.read_text("utf-8"))

    assert (done.returncode, done.stdout) == (0, "")
    assert one["id"] == "pipedoctor"


@pytest.mark.extended
def test_it_is_installed_and_stops_a_commit_that_breaks_the_job(
    published: Path, home: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pre_commit")
    git(tmp_path, "init", "-q")
    (tmp_path / "train.py").write_text(CLEAN)
    (tmp_path / "notes.txt").write_text("torch\n")
    git(tmp_path, "add", ".")

    fine = hook(published, home, tmp_path, "pipedoctor", "--all-files")
    (tmp_path / "train.py").write_text(ILL)
    ill = hook(published, home, tmp_path, "pipedoctor", "--all-files")

    assert fine.returncode == 0, fine.stdout + fine.stderr
    assert "Passed" in fine.stdout
    assert ill.returncode == 1, ill.stdout + ill.stderr
    assert "PDR302 handle-in-init" in ill.stdout
    assert "exit code: 1" in ill.stdout
