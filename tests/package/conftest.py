"""Build what we ship, once."""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("pipedoctor", "checks", "tests", "docs")
FILES = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md")


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, as a fresh clone has them."""
    copy = tmp_path_factory.mktemp("checkout")
    for folder in SOURCES:
        ignored = shutil.ignore_patterns("__pycache__", ".*_cache")
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    for file in FILES:
        shutil.copy(ROOT / file, copy / file)
    return copy


@pytest.fixture(scope="session")
def built(checkout: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """
    A folder with the sdist, and the wheel that was built from it.

    Processes that share the tests share the folder: the first one builds.
    """
    mine = tmp_path_factory.getbasetemp()
    shared = mine if worker_id == "master" else mine.parent
    out = shared / "built"
    build = [sys.executable, "-m", "build", "--no-isolation", "-o", str(out)]
    with (shared / "built.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            subprocess.run([*build, str(checkout)], check=True, capture_output=True)
    return out
