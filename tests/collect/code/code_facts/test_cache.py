"""What is remembered of code that was read: damage, other versions, strangers, age."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipedoctor.collect.code import code_cache
from pipedoctor.collect.code.code_reading import ReadingOptions
from pipedoctor.collect.code.source import source
from pipedoctor.collect.machine import Machine
from pipedoctor.source import read_project as examining
from pipedoctor.source.discover.files import SourceFile as File
from tests.collect.code.code_facts.conftest import LOADER, PART, read


def _entries(cache: Path) -> list[Path]:
    return sorted(cache.iterdir())


def test_a_second_run_reads_what_the_first_remembered(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(three, tmp_path / "cache")
    assert len(_entries(tmp_path / "cache")) == 4
    monkeypatch.setattr(examining, "read_project_facts", None)
    assert read(three, tmp_path / "cache") == first == read(three, tmp_path / "cache")


def test_the_cache_is_read_without_the_readers_of_code() -> None:
    code = "import pipedoctor.collect.code.source, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pipedoctor.source.project_reading" in done.stdout.split()
    assert "pipedoctor.source.assemble" not in done.stdout.split()


def test_only_what_changed_is_read_anew(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(three, tmp_path / "cache")
    (three / "Green" / "Green.py").write_text("import torch\n")
    seen: list[str] = []
    real = examining.read_project_facts

    def examine(project: list[File], *args: Any, **words: Any) -> object:
        seen.extend(Path(file.path).parent.name for file in project)
        return real(project, *args, **words)

    monkeypatch.setattr(examining, "read_project_facts", examine)
    assert read(three, tmp_path / "cache") == read(three)
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
    plain = read(three)
    read(three, cache)
    whole = {path: path.read_bytes() for path in _entries(cache)}
    for path, data in whole.items():
        path.write_bytes(damage(data))
    assert read(three, cache) == plain
    assert {path: path.read_bytes() for path in _entries(cache)} == whole


def test_an_entry_under_another_name_is_none(three: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    read(three, cache)
    one, other = _entries(cache)[:2]
    one.write_bytes(other.read_bytes())
    assert read(three, cache) == read(three)


def test_well_sealed_nonsense_is_none(three: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    read(three, cache)
    for path in _entries(cache):
        packed = msgspec.msgpack.encode({"files": "many"})
        whole = code_cache.FORMAT_HEADER + code_cache.compute_checksum(packed, path.stem) + packed
        path.write_bytes(whole)
    assert read(three, cache) == read(three)


def test_another_version_remembers_apart(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(three, tmp_path / "cache")
    monkeypatch.setattr(code_cache, "__version__", "99")
    read(three, tmp_path / "cache")
    assert len(_entries(tmp_path / "cache")) == 8


def test_entries_are_private_and_hold_no_code(three: Path, tmp_path: Path) -> None:
    (three / "lonely.py").write_text("import torch\npassword = 'hunter2'\n")
    cache = tmp_path / "cache"
    read(three, cache)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    for path in _entries(cache):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert b"hunter2" not in path.read_bytes()


def test_a_folder_that_others_may_write_to_is_not_used(three: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert read(three, shared) == read(three)
    assert not _entries(shared)


def test_no_place_for_a_cache_is_no_error(three: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert read(three, tmp_path / "file" / "cache") == read(three)


def test_what_was_not_asked_for_the_longest_is_forgotten(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    read(three, cache)
    old = _entries(cache)
    for path in old:
        os.utime(path, (1, 1))
    monkeypatch.setattr(code_cache, "MAX_ENTRIES", 2)
    (three / "lonely.py").write_text("import torch\n")
    read(three, cache)
    left = _entries(cache)
    assert len(left) == 2
    assert set(left) - set(old)
    monkeypatch.setattr(code_cache, "MAX_BYTES", 1)
    (three / "lonely.py").write_text("import torch, os\n")
    read(three, cache)
    assert _entries(cache) == []


def test_a_draft_that_nobody_finished_is_removed(three: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    old, fresh = (cache / f".pipedoctor-{16 * digit}" for digit in "ab")
    for draft in (old, fresh):
        draft.touch()
    os.utime(old, (1, 1))
    read(three, cache)
    assert (old.exists(), fresh.exists()) == (False, True)


def test_what_time_cut_short_is_not_remembered(three: Path, tmp_path: Path) -> None:
    reading = ReadingOptions(jobs=1, cache=True, cache_dir=str(tmp_path / "cache"))
    facts = source(Machine(), [str(three)], -1.0, lambda _: None, reading)
    assert facts.parsed == 0
    assert {one.reason for one in facts.skipped} == {
        "not read, nor any file after it: time limit of -1 s reached"
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
        assert read(three, tmp_path / "cache") == read(three)
