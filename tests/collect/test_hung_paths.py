"""Paths that hang: those that variables name, and those that sections hung at."""

import os
from pathlib import Path

import pytest

from pipedoctor.collect.dead_paths import describe_dead_path, find_dead_paths
from pipedoctor.collect.hung_paths import is_driver_hang, list_hung_paths
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.named_folders import PathRequest, list_named_folders, look_into
from pipedoctor.facts import Hang, PathFact
from pipedoctor.runtime.probe import Outcome

HERE = Machine(environ={})


def folder(path: str, role: str = "environment", named_by: str = "VIRTUAL_ENV") -> PathRequest:
    return PathRequest(role=role, path=path, named_by=named_by)


def hung(path: str, doing: str = "") -> Outcome:
    return Outcome(
        reason="no answer",
        hung=True,
        doing=doing or f"stat {path}",
        blocked_path=path,
        seconds=2.04,
    )


def test_folders_come_from_the_variables_alone() -> None:
    environ = {"PATH": "/a:/b::rel:/a", "PYTHONPATH": "/c", "VIRTUAL_ENV": "/v", "TMPDIR": "/t"}
    environ |= {"LD_LIBRARY_PATH": "/l:", "SSL_CERT_FILE": "/s.pem", "CUDA_HOME": "/cuda"}

    found = list_named_folders(Machine(environ=environ), "/opt/env")

    assert [(one.role, one.path, one.named_by) for one in found] == [
        ("environment", "/opt/env", "the Python environment"),
        ("program-path", "/a", "PATH"),
        ("program-path", "/b", "PATH"),
        ("program-path", "/l", "LD_LIBRARY_PATH"),
        ("import-path", "/c", "PYTHONPATH"),
        ("environment", "/v", "VIRTUAL_ENV"),
        ("config", "/s.pem", "SSL_CERT_FILE"),
        ("config", "/cuda", "CUDA_HOME"),
        ("shm", "/dev/shm", "default"),
    ]


def test_no_folder_where_there_is_no_proc() -> None:
    assert list_named_folders(Machine(environ={"PATH": "/a"}, system="win32")) == ()


@pytest.mark.parametrize("name", ["there", "file", "absent"])
def test_what_answers_is_not_dead(name: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "x").touch()
    (tmp_path / "file").write_text("x")
    steps: list[str] = []

    assert look_into(HERE, str(tmp_path / name), steps.append) == ("", "")
    assert steps[0] == f"stat {tmp_path}/{name}"


def test_a_section_that_hung_names_its_path() -> None:
    outcomes = {"packages": hung("/mnt/x/site-packages"), "cpu": Outcome(value={})}

    (fact,) = list_hung_paths(HERE, (), outcomes, (), ("packages",))

    assert (fact.role, fact.path) == ("environment", "/mnt/x/site-packages")
    assert fact.named_by == "read for `packages`"
    assert fact.hang == Hang(doing="stat /mnt/x/site-packages", seconds=2.0)


def test_a_file_on_the_way_to_a_driver_is_no_driver() -> None:
    (fact,) = list_hung_paths(HERE, (), {"gpu": hung("/mnt/x/libnvidia-ml.so.1")}, (), ())

    assert fact.path == "/mnt/x/libnvidia-ml.so.1"
    assert not is_driver_hang(hung("/mnt/x/libnvidia-ml.so.1"))
    assert is_driver_hang(hung("/dev/nvidiactl"))
    assert is_driver_hang(Outcome(reason="no answer", hung=True, doing="nvmlInit"))


def test_the_nearest_variable_names_a_path_below_it() -> None:
    folders = [folder("/", "home", "HOME"), folder("/mnt/x")]

    (fact,) = list_hung_paths(HERE, folders, {"torch": hung("/mnt/x/lib/y")}, (), ())

    assert (fact.role, fact.named_by) == ("environment", "VIRTUAL_ENV")


@pytest.mark.parametrize(
    "outcomes",
    [
        pytest.param({"gpu": hung("/dev/nvidia0")}, id="a driver has its own check"),
        pytest.param({"dataset /d": hung("/d")}, id="datasets are listed elsewhere"),
        pytest.param({"packages": Outcome(reason="no", blocked_path="/d")}, id="it answered"),
        pytest.param({"packages": hung("/home/me/x")}, id="below a place that hangs"),
    ],
)
def test_what_is_no_path_of_its_own(outcomes: dict[str, Outcome]) -> None:
    home = PathFact(role="home", path="/home/me", hang=Hang(doing="stat", seconds=1))

    assert not list(list_hung_paths(HERE, (), outcomes, (home,), ("packages",)))


def test_a_folder_that_does_not_answer_is_found_and_described(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")  # as a file it is not opened, so it answers

    assert find_dead_paths([folder(str(tmp_path / "x"))]) == []
    fact = PathFact(role="tmp", path="/t", named_by="TMPDIR", hang=Hang(doing="stat /t", seconds=2))
    assert describe_dead_path(fact) == "/t (TMPDIR) does not answer: stat /t hung for 2.0 s"


def test_a_lost_server_is_dead_as_well() -> None:
    fact = PathFact(role="tmp", path="/t", error="Stale file handle")

    assert describe_dead_path(fact) == "/t (tmp) is dead: Stale file handle"


def test_a_folder_that_nobody_came_to_touch_is_not_called_dead() -> None:
    outcome = Outcome(reason="no answer after 2.1 s", hung=True, seconds=2.1)

    found = list_hung_paths(HERE, [folder("/a")], {"folder /a": outcome}, [], ())

    assert list(found) == []


def test_what_hung_before_is_named_unless_it_is_already() -> None:
    earlier = hung("/home/x/.config/pipedoctor/config.toml")

    (found,) = list_hung_paths(HERE, [], {}, [], (), [earlier])
    known = PathFact(role="home", path="/home/x", hang=Hang(doing="stat /home/x", seconds=2.0))

    assert (found.role, found.path) == ("config", "/home/x/.config/pipedoctor/config.toml")
    assert list(list_hung_paths(HERE, [], {}, [known], (), [earlier])) == []
