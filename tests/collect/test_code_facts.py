"""Code read from a cache, by many or by one: always the same facts."""

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipedoctor.collect import code_cache, code_facts
from pipedoctor.collect.code_reading import ReadingOptions
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.source import source
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import DeviceCopy, FreshIterator
from pipedoctor.runtime.pool import LostTask, run_tasks
from pipedoctor.source import read_project as examining
from pipedoctor.source.discover import files as files_of
from pipedoctor.source.discover import projects
from pipedoctor.source.discover.files import SourceFile as File

LOADER = """
import torch
from torch.utils.data import DataLoader, Dataset
from {part} import {part}
loader = DataLoader({part}(), num_workers={workers})
for epoch in range(9):
    for batch in loader:
        batch.to("cuda")
    next(iter(loader))
"""
PART = """
from torch.utils.data import Dataset
class {part}(Dataset):
    def __getitem__(self, i):
        print(i)
"""


def _project(folder: Path, part: str, workers: int) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "setup.py").touch()
    (folder / "train.py").write_text(LOADER.format(part=part, workers=workers))
    (folder / f"{part}.py").write_text(PART.format(part=part))


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A folder of three projects, and a file that belongs to none."""
    top = tmp_path / "all"
    top.mkdir()
    for number, part in enumerate(("Red", "Green", "Blue")):
        _project(top / part, part, number)
    (top / "lonely.py").write_text(LOADER.format(part="Red", workers=9))
    return top


def _read(folder: Path, cache: Path | None = None, jobs: int = 1) -> Source:
    reading = ReadingOptions(jobs=jobs, cache=cache is not None, cache_dir=str(cache or ""))
    return source(Machine(), [str(folder)], 1000.0, lambda _: None, reading)


def _entries(cache: Path) -> list[Path]:
    return sorted(cache.iterdir())


def test_projects_are_apart_and_their_numbers_agree(three: Path) -> None:
    facts = _read(three)
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
    data = {one.at.path: one.dataset for one in _read(three).loaders}
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
    assert _read(three).loaders[-1].dataset is not None
    monkeypatch.setattr(projects, "MAX_GROUP_BYTES", 100)
    assert {one.at.path for one in _read(three).loaders if one.dataset is None} == {"lonely.py"}


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
    assert _read(three, jobs=3) == _read(three, jobs=1)


def test_a_second_run_reads_what_the_first_remembered(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _read(three, tmp_path / "cache")
    assert len(_entries(tmp_path / "cache")) == 4
    monkeypatch.setattr(code_facts, "read_project_facts", None)
    assert _read(three, tmp_path / "cache") == first == _read(three, tmp_path / "cache")


def test_only_what_changed_is_read_anew(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _read(three, tmp_path / "cache")
    (three / "Green" / "Green.py").write_text("import torch\n")
    seen: list[str] = []
    real = examining.read_project_facts

    def examine(project: list[File], *args: Any, **words: Any) -> object:
        seen.extend(Path(file.path).parent.name for file in project)
        return real(project, *args, **words)

    monkeypatch.setattr(code_facts, "read_project_facts", examine)
    assert _read(three, tmp_path / "cache") == _read(three)
    assert set(seen[:3]) == {"Green"}


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut off": lambda data: data[:-1],
    "longer": lambda data: data + b"x",
    "one bit": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "foreign": lambda _: b"\x80\x04cos\nsystem\n(S'false'\ntR.",
    "another form": lambda data: data.replace(b"code 2", b"code 0"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_entries_are_written_anew(
    damage: Callable[[bytes], bytes], three: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    plain = _read(three)
    _read(three, cache)
    whole = {path: path.read_bytes() for path in _entries(cache)}
    for path, data in whole.items():
        path.write_bytes(damage(data))
    assert _read(three, cache) == plain
    assert {path: path.read_bytes() for path in _entries(cache)} == whole


def test_an_entry_under_another_name_is_none(three: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    _read(three, cache)
    one, other = _entries(cache)[:2]
    one.write_bytes(other.read_bytes())
    assert _read(three, cache) == _read(three)


def test_well_sealed_nonsense_is_none(three: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    _read(three, cache)
    for path in _entries(cache):
        packed = msgspec.msgpack.encode({"files": "many"})
        whole = code_cache.FORMAT_HEADER + code_cache.compute_checksum(packed, path.stem) + packed
        path.write_bytes(whole)
    assert _read(three, cache) == _read(three)


def test_another_version_remembers_apart(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _read(three, tmp_path / "cache")
    monkeypatch.setattr(code_cache, "__version__", "99")
    _read(three, tmp_path / "cache")
    assert len(_entries(tmp_path / "cache")) == 8


def test_entries_are_private_and_hold_no_code(three: Path, tmp_path: Path) -> None:
    (three / "lonely.py").write_text("import torch\npassword = 'hunter2'\n")
    cache = tmp_path / "cache"
    _read(three, cache)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    for path in _entries(cache):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert b"hunter2" not in path.read_bytes()


def test_a_folder_that_others_may_write_to_is_not_used(three: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert _read(three, shared) == _read(three)
    assert not _entries(shared)


def test_no_place_for_a_cache_is_no_error(three: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert _read(three, tmp_path / "file" / "cache") == _read(three)


def test_what_was_not_asked_for_the_longest_is_forgotten(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    _read(three, cache)
    old = _entries(cache)
    for path in old:
        os.utime(path, (1, 1))
    monkeypatch.setattr(code_cache, "MAX_ENTRIES", 2)
    (three / "lonely.py").write_text("import torch\n")
    _read(three, cache)
    left = _entries(cache)
    assert len(left) == 2
    assert set(left) - set(old)
    monkeypatch.setattr(code_cache, "MAX_BYTES", 1)
    (three / "lonely.py").write_text("import torch, os\n")
    _read(three, cache)
    assert _entries(cache) == []


def test_a_draft_that_nobody_finished_is_removed(three: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    old, fresh = (cache / f".pipedoctor-{16 * digit}" for digit in "ab")
    for draft in (old, fresh):
        draft.touch()
    os.utime(old, (1, 1))
    _read(three, cache)
    assert (old.exists(), fresh.exists()) == (False, True)


def test_what_time_cut_short_is_not_remembered(three: Path, tmp_path: Path) -> None:
    reading = ReadingOptions(jobs=1, cache=True, cache_dir=str(tmp_path / "cache"))
    facts = source(Machine(), [str(three)], -1.0, lambda _: None, reading)
    assert facts.parsed == 0
    assert {one.reason for one in facts.skipped} == {
        "not read, nor any file after it: no time after -1 s"
    }
    assert _entries(tmp_path / "cache") == []


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["Red", "Green", "Blue"]),
        st.sampled_from(["train.py", "more.py", "setup.cfg"]),
        st.sampled_from([None, "", "import torch\n", PART, LOADER, "def broken("]),
    ),
    max_size=4,
)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(edits=EDITS)
def test_a_cache_never_changes_what_is_found(
    edits: list[tuple[str, str, str | None]], three: Path, tmp_path: Path
) -> None:
    for folder, name, text in edits:
        path = three / folder / name
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text.replace("{part}", folder).replace("{workers}", "3"))
        assert _read(three, tmp_path / "cache") == _read(three)


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

    monkeypatch.setattr(code_facts, "read_project_facts", examine)
    facts = _read(three, jobs=2)
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
