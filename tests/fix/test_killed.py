"""Killed at any step, a fix is finished or undone by the next one."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fix.conftest import FSTAB, Ward

pytestmark = [pytest.mark.root, pytest.mark.slow]

KILLER = Path(__file__).with_name("killer.py")
APPLY = "--shm 128m --persist --yes"
UNDO = "--undo --yes"
LINE = "tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size=134217728 0 0\n"


def killed_at_every_step(
    ward: Ward, tmp_path: Path, commands: tuple[str, str, str], first: int = 0, stride: int = 1
) -> list[dict[str, Any]]:
    """What was left; `commands` prepare, are killed, and come then."""
    (tmp_path / "fstab").write_text(FSTAB)
    line = " -- ".join((str(tmp_path / "fstab"), *commands)).split(" ")
    fatal = {"FATAL_TO_THE_FIRST": str(first), "STRIDE": str(stride)}
    done = ward.run(sys.executable, str(KILLER), *line, env=fatal, timeout=500)
    assert done.code == 0, done.err
    ends = [json.loads(line) for line in done.out.splitlines()]
    assert len(ends) * stride > (7 if commands[1] == UNDO else 10)
    for end in ends:
        assert (end["history"], end["left"]) == (0, []), end
    return ends


@pytest.mark.parametrize("stride", [5, 1])
def test_the_next_fix_applies_it(ward: Ward, tmp_path: Path, stride: int) -> None:
    for end in killed_at_every_step(ward, tmp_path, ("", APPLY, APPLY), stride=stride):
        assert end["code"] == 0, end
        assert (end["shm"], end["fstab"]) == (128, FSTAB + LINE), end
        assert end["states"] in (["proved"], ["rolled-back", "proved"]), end


@pytest.mark.extended
def test_the_next_undo_takes_it_back(ward: Ward, tmp_path: Path) -> None:
    for end in killed_at_every_step(ward, tmp_path, ("", APPLY, UNDO)):
        assert end["code"] == 0, end
        assert (end["shm"], end["fstab"]) == (64, FSTAB), end
        assert end["states"] in ([], ["rolled-back"], ["undone"]), end


@pytest.mark.extended
def test_a_killed_undo_is_undone(ward: Ward, tmp_path: Path) -> None:
    for end in killed_at_every_step(ward, tmp_path, (APPLY, UNDO, UNDO)):
        assert end["code"] == 0, end
        assert (end["shm"], end["fstab"]) == (64, FSTAB), end
        assert end["states"] == ["undone"], end


@pytest.mark.extended
@pytest.mark.parametrize("stride", [6, 1])
def test_killed_again_while_it_takes_back(ward: Ward, tmp_path: Path, stride: int) -> None:
    ends = killed_at_every_step(ward, tmp_path, (APPLY, APPLY, APPLY), 18, stride)
    for end in ends:
        assert end["code"] == 0, end
        assert (end["shm"], end["fstab"]) == (128, FSTAB + LINE), end
        assert end["states"][-1] == "proved", end
        assert set(end["states"][:-1]) == {"rolled-back"}, end


def wrecked(ward: Ward, *args: str) -> None:
    """A fix that says that it is in the middle, and nobody is at it."""
    assert ward.fix(*args, "--yes").code == 0
    ward.leave_in_the_middle()


def test_without_consent_even_a_wreck_is_left_alone(
    ward: Ward, snapshot: SnapshotAssertion
) -> None:
    wrecked(ward, "--shm", "128m")

    done = ward.fix("--shm", "256m")

    assert done.code == 1
    assert "was interrupted: /dev/shm" in done.out
    assert done.err == snapshot
    assert ward.states() == ["applying"]
    assert ward.shm() == 128


@pytest.mark.extended
def test_the_history_of_a_wreck_tells_the_truth(ward: Ward) -> None:
    wrecked(ward, "--shm", "128m")

    assert "interrupted: the next fix undoes it" in ward.fix("--history").out


@pytest.mark.extended
def test_another_user_passes_a_wreck_of_root(ward: Ward, nobody: int) -> None:
    wrecked(ward, "--shm", "128m")

    done = ward.fix("--shm", "128m", "--yes", uid=nobody)

    assert done.code == 0
    assert "the next `pipedoctor fix` as root completes it" in done.out
    assert ward.states() == ["applying"]


@pytest.mark.extended
def test_a_wreck_that_others_moved_on_from_is_not_forced(ward: Ward) -> None:
    wrecked(ward, "--shm", "128m")
    ward.run("mount", "-o", "remount,size=99m", "/dev/shm")

    done = ward.fix("--undo", "--yes")

    assert done.code == 1
    assert "was changed to 99.0 MiB after the fix" in done.out
    assert ward.states() == ["failed"]
    assert ward.shm() == 99


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param("truncate -s 100 entry.json", id="cut off"),
        pytest.param("truncate -s 0 entry.json", id="empty"),
        pytest.param("printf '\\377' > entry.json", id="no text"),
        pytest.param("echo '{\"id\": 1}' > entry.json", id="something else"),
        pytest.param("rm entry.json; mkdir entry.json", id="a directory"),
    ],
)
def test_a_damaged_entry_spoils_nothing(ward: Ward, damage: str) -> None:
    ward.fix("--shm", "128m", "--yes")
    ward.run("sh", "-c", f"cd /var/lib/pipedoctor/journal/*-1 && {damage}")

    listed = ward.fix("--history")

    assert listed.code == 0
    assert "-1   unreadable: " in listed.out
    name = listed.out.split()[0]
    refused = ward.fix("--undo", name, "--yes")
    assert refused.code == 1
    assert "can no longer be read" in refused.err
    assert ward.fix("--shm", "64m", "--yes").code == 0
    assert ward.states() == ["unreadable", "proved"]


def test_root_does_not_run_what_another_user_wrote(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--yes")
    ward.run("sh", "-c", "chown 1234 /var/lib/pipedoctor/journal/*/entry.json")

    done = ward.fix("--undo", "--yes")

    assert done.code == 1
    assert "it belongs to user 1234" in done.err
    assert ward.shm() == 128
