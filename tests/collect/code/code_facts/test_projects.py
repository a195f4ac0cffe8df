"""Code read from a cache, by many or by one: always the same facts."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.collect.code.code_facts import choose_kept
from pipedoctor.collect.code.source import source
from pipedoctor.collect.machine import Machine
from pipedoctor.facts.code_events.training import DeviceCopy, FreshIterator
from pipedoctor.runtime.pool import LostTask, run_tasks
from pipedoctor.source import assemble
from pipedoctor.source import read_project as examining
from pipedoctor.source.discover import files as files_of
from pipedoctor.source.discover import projects
from pipedoctor.source.discover.files import SourceFile as File
from tests.collect.code.code_facts.conftest import LOADER, read


def test_projects_are_apart_and_their_numbers_agree(three: Path) -> None:
    facts = read(three)
    assert (facts.files, facts.parsed, len(facts.loaders)) == (7, 7, 4)
    for number, loader in enumerate(facts.loaders):
        assert {facts.loops[n].loaders for n in loader.fed} == {(number,)}
        folder = loader.at.path.rpartition("/")[0]
        mine = [e for e in facts.events if e.at.path.rpartition("/")[0] == folder]
        copies = [e for e in mine if e.kind == DeviceCopy.kind]
        assert [facts.loops[e.loop].at.path for e in copies] == [loader.at.path]
        fresh = [e.recorded["loader"] for e in mine if e.kind == FreshIterator.kind]
        assert fresh == [number]
    data = {one.at.path: one.dataset for one in facts.loaders}
    assert data["lonely.py"] is None  # it cannot see into a project beside it
    assert data["Red/train.py"] is not None
    assert facts.events == tuple(sorted(facts.events, key=lambda e: e.at.path))


def test_in_one_project_everything_is_together(three: Path) -> None:
    (three / "pyproject.toml").touch()
    data = {one.at.path: one.dataset for one in read(three).loaders}
    assert data["lonely.py"] is not None


def test_files_of_one_project_given_one_by_one_are_together(three: Path) -> None:
    red = three / "Red"
    paths = [str(red / "train.py"), str(red / "Red.py")]
    facts = source(Machine(), paths, 1000.0, lambda _: None)
    assert [one.dataset is not None for one in facts.loaders] == [True]


def test_a_very_large_repository_is_read_in_its_parts(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (three / ".git").mkdir()
    assert read(three).loaders[-1].dataset is not None
    monkeypatch.setattr(projects, "MAX_GROUP_BYTES", 100)
    assert {one.at.path for one in read(three).loaders if one.dataset is None} == {"lonely.py"}


def test_a_very_large_folder_of_packages_is_read_package_by_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [
        files_of.SourceFile(str(tmp_path / name), b"import torch\n")
        for name in ("alone.py", "one/a.py", "one/deep/b.py", "two/c.py", "also.py")
    ]
    deeper = [
        files_of.SourceFile(str(tmp_path / "one" / name), b"import torch\n")
        for name in ("deep/d.py", "e.py")
    ]
    together = projects.group_by_project(files, [str(tmp_path)])
    monkeypatch.setattr(projects, "MAX_GROUP_BYTES", 30)

    apart = projects.group_by_project(files, [str(tmp_path)])

    assert together == [files]
    assert [[Path(one.path).name for one in part] for part in apart] == [
        ["alone.py", "also.py"],
        ["a.py", "b.py"],
        ["c.py"],
    ]
    apart = projects.group_by_project([*files, *deeper], [str(tmp_path)])
    assert [[Path(one.path).name for one in part] for part in apart] == [
        ["alone.py", "also.py"],
        ["a.py", "e.py"],
        ["b.py", "d.py"],
        ["c.py"],
    ]


def test_a_repository_in_one_part_may_be_twice_as_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    files = [
        files_of.SourceFile(str(tmp_path / name), b"import torch\n")
        for name in ("one/a.py", "two/b.py", "three/c.py")
    ]
    monkeypatch.setattr(projects, "MAX_GROUP_BYTES", 20)

    assert projects.group_by_project(files, [str(tmp_path)]) == [files]
    monkeypatch.setattr(projects, "MAX_GROUP_BYTES", 19)
    assert projects.group_by_project(files, [str(tmp_path)]) == [[one] for one in files]


def test_packages_of_one_repository_know_of_each_other(three: Path) -> None:
    (three / ".git").mkdir()
    (three / "Blue" / "train.py").write_text(LOADER.format(part="Red", workers=1))
    paths = [str(three / "Blue"), str(three / "Red")]
    facts = source(Machine(), paths, 1000.0, lambda _: None)
    assert [one.dataset is not None for one in facts.loaders] == [True, True]


def test_more_processes_say_the_same(three: Path) -> None:
    assert read(three, jobs=3) == read(three, jobs=1)


def test_a_child_that_dies_is_replaced(tmp_path: Path) -> None:
    def dies_once() -> bytes:
        try:
            (tmp_path / "was here").touch(exist_ok=False)
        except FileExistsError:
            return b"done"
        os.kill(os.getpid(), signal.SIGKILL)
        return b"never"

    tasks = [lambda: b"a" * (1 << 20), dies_once, lambda: b""]
    assert run_tasks(tasks, [2, 1, 0], 2) == [b"a" * (1 << 20), b"done", b""]


def test_a_child_that_always_dies_costs_its_project_alone(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = examining.read_project_facts

    def examine(project: list[File], *args: Any, **words: Any) -> object:
        if "Green" in project[0].path:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(project, *args, **words)

    monkeypatch.setattr(examining, "read_project_facts", examine)
    facts = read(three, jobs=2)
    paths = {one.at.path for one in facts.loaders}
    assert paths == {"Blue/train.py", "Red/train.py", "lonely.py"}
    reasons = {one.path: one.reason for one in facts.skipped}
    said = "the process that read its project died of signal 9, twice"
    assert reasons == {"Green/Green.py": said, "Green/train.py": said}


def test_a_task_that_fails_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    def fails() -> bytes:
        raise ValueError

    assert run_tasks([fails], [0], 1) == [LostTask("without an answer")]
    assert capfd.readouterr().err == ""


def test_where_no_process_can_be_started_one_does_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fork() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", fork)
    assert run_tasks([lambda: b"a", lambda: b"b"], [0, 1], 2) == [b"a", b"b"]


@pytest.mark.parametrize(
    ("sizes", "kept"),
    [
        (dict[int, int](), set[int]()),
        ({0: 7}, {0}),
        ({0: 3, 1: 10, 2: 5, 3: 2}, {0, 3}),
        ({0: 5, 1: 10, 2: 6}, {0}),
        ({0: 7, 1: 7}, set[int]()),
    ],
)
def test_what_stays_in_memory_is_no_more_than_half_of_the_largest_project(
    sizes: dict[int, int], kept: set[int]
) -> None:
    assert choose_kept(sizes) == kept


def test_a_project_that_nests_too_deep_leaves_the_others_alone(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = assemble.build_facts_of_modules

    def build(modules: Any, *rest: Any, **more: Any) -> Any:
        if any(module.file.path.endswith("Red/train.py") for module in modules):
            raise RecursionError
        return whole(modules, *rest, **more)

    monkeypatch.setattr(examining, "build_facts_of_modules", build)
    facts = read(three)

    reasons = {one.reason for one in facts.skipped}
    assert reasons == {"its calls go deeper than can be followed"}
    assert all("Red/" in one.path for one in facts.skipped)
    assert facts.loaders
