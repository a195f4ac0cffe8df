"""What is said on stderr, and by commands that run code, tells no secret either."""

import json
from pathlib import Path

import pytest

from tests.privacy.leaks.conftest import NAMES, SECRET, TABLE, Start, Tells

LINES = [told for row in TABLE.values() for told, _ in row]
TARGETS = """
from torch.utils.data import Dataset

TOLD = {told!r}


class Items(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        raise RuntimeError(TOLD[int(index) % len(TOLD)])
"""
"""A line for each canary: an error is cut before it could tell all of them."""


@pytest.fixture(scope="session")
def raising(world: Path) -> list[str]:
    """Targets that raise an error with as many canaries as such a line has room for."""
    source = TARGETS.format(told=LINES)
    names: list[str] = []
    for number in range(0, len(LINES), 40):
        told = " ".join(LINES[number : number + 40 : 5])
        source += f"\n\ndef at_{number}():\n    raise RuntimeError({told!r})\n"
        names.append(f"at_{number}")
    (world / "targets.py").write_text(source)
    return names


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("tune",), id="tune", marks=pytest.mark.extended),
        pytest.param(("check", "--quick", "--select=PDR9", "--measure"), id="check"),
        pytest.param(
            ("fix", "--code", "train.py", "--yes", "--measure"),
            id="fix",
            marks=pytest.mark.extended,
        ),
    ],
)
def test_what_a_target_raises(
    command: tuple[str, ...], start: Start, raising: list[str], tells: Tells
) -> None:
    """Each command meets another part of the canaries."""
    turn = len(" ".join(command)) % len(raising)

    done = start(*command, f"targets.py:{raising[turn]}")

    assert done.returncode == 2, done.stderr
    assert b"raised RuntimeError" in done.stderr
    names = set(NAMES) - {"server"}  # that of an address goes for the public alone
    assert tells(done.stdout + done.stderr, *SECRET, *names) == []


@pytest.mark.parametrize(
    "command",
    [
        ("check", "--config", "odd.toml"),
        ("check", "--select", "{}"),
        ("check", "--from", "job.log"),
        ("check", "--baseline", "job.log", "--no-config"),
        ("check", "--against", "odd.toml", "--no-config"),
        ("diff", "job.log", "here"),
        ("diff", "a", "b", "--select", "{}"),
        ("explain", "{}"),
        ("report", "--unredact", "nothing-{}"),
        ("list", "{}"),
        ("{}",),
    ],
    ids=" ".join,
)
def test_what_cannot_be_read(
    command: tuple[str, ...], start: Start, world: Path, tells: Tells
) -> None:
    secrets = [TABLE[kind][number][0] for kind in SECRET for number in (0, 5)]
    typed = " ".join(secrets).replace("\n", " ")
    (world / "odd.toml").write_text(f"select = [{json.dumps(typed)}]\n")

    done = start(*(word.format(typed) for word in command))

    assert done.returncode == 2, done.stderr
    assert tells(done.stdout + done.stderr, *SECRET) == []


def test_what_dies_is_explained(start: Start, world: Path, tells: Tells) -> None:
    """Its own output is passed through; what is said of it is not."""
    script = "import sys\nprint(open('job.log').read())\nsys.exit(3)\n"
    (world / "dies.py").write_text(script)

    done = start("run", "--", "python3", "dies.py")

    assert done.returncode == 3
    assert b"shm-too-small" in done.stderr
    assert tells(done.stdout, *SECRET), "as the command wrote it"
    assert tells(done.stderr, *SECRET, *NAMES) == []


def test_plan_of_a_fix(start: Start, tells: Tells) -> None:
    done = start("fix", "--shm", "1G", "--dry-run")

    assert tells(done.stdout + done.stderr, *SECRET) == []


def test_the_list_of_what_is_kept(start: Start, tells: Tells) -> None:
    start("check", "--quick", "--keep", "--select", "PDR7")

    for form in ("markdown", "json"):
        done = start("report", "--history", "--format", form)
        assert b".json" in done.stdout
        assert tells(done.stdout + done.stderr, *SECRET) == []
