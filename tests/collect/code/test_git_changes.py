"""Changed lines, by git repositories of every kind."""

import os
import subprocess
from pathlib import Path

import pytest

from pipedoctor.collect.code.git_changes import list_changed_lines
from pipedoctor.facts import UnreadableError
from pipedoctor.source.discover.files import SourceFile


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *who, *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        timeout=20,
    )
    return done.stdout.strip()


def asked(*code: Path | str, since: str = "HEAD") -> dict[str, list[int]]:
    return list_changed_lines([str(path) for path in code], since, lambda _: None)


def commit(folder: Path, *options: str) -> Path:
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main", *options)
    (folder / "a.py").write_text("1\n2\n3\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return commit(tmp_path)


def test_nothing_changed(repository: Path) -> None:
    assert asked(repository) == {}


def test_lines_new_files_and_untouched_ones(repository: Path) -> None:
    (repository / "same.py").write_text("x\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "two")
    (repository / "a.py").write_text("1\nX\n3\n")
    (repository / "new.py").write_text("x\n")

    assert asked(".") == {"a.py": [2], "new.py": [0]}


def test_what_is_staged_and_committed_counts_as_well(repository: Path) -> None:
    (repository / "a.py").write_text("1\nX\n3\n")
    git(repository, "add", ".")
    assert asked(".") == {"a.py": [2]}
    git(repository, "commit", "-q", "-m", "two")

    assert asked(".") == {}
    assert asked(".", since="HEAD~1") == {"a.py": [2]}


def test_names_of_revisions(repository: Path) -> None:
    (repository / "a.py").write_text("1\nX\n3\n")
    git(repository, "tag", "-a", "v1", "-m", "tag")

    for name in ("v1", "main", "@", git(repository, "rev-parse", "HEAD")):
        assert asked(".", since=name) == {"a.py": [2]}


def test_from_below_and_from_elsewhere(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "sub").mkdir()
    (repository / "sub" / "b.py").write_text("x\n")
    monkeypatch.chdir(repository / "sub")
    assert asked(".") == {"b.py": [0]}
    monkeypatch.chdir("/")

    below = asked(repository / "sub" / "b.py")
    assert [name.rpartition("/")[2] for name in below] == ["b.py"]


def test_longer_names_of_objects(tmp_path: Path) -> None:
    long = commit(tmp_path / "long", "--object-format=sha256")

    assert asked(long) == {}
    (long / "a.py").write_text("1\nX\n3\n")
    assert list(asked(long).values()) == [[2]]


def test_a_second_work_tree(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "second"), "HEAD")

    assert asked(tmp_path / "second") == {}


def test_a_hooks_own_repository_is_not_asked(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = commit(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent")

    assert asked(repository / "a.py") == {}


def test_a_link_is_what_it_points_to(repository: Path) -> None:
    (repository / "link.py").symlink_to("a.py")

    assert asked(repository / "link.py") == {}


def test_odd_names(repository: Path) -> None:
    names = ["a b\n'\".py", os.fsdecode(b"\xff.py"), "-x.py", "é.py"]
    for name in names:
        (repository / name).write_text("1\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "odd")
    assert asked(".") == {}
    for name in names:
        (repository / name).write_text("2\n")

    assert sorted(asked(".")) == sorted(["a b\n'\".py", "\\xff.py", "-x.py", "é.py"])


def test_an_empty_repository_has_no_revision(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("")

    with pytest.raises(UnreadableError, match=r"^revision 'HEAD' not found: "):
        asked(tmp_path)


def test_files_of_another_place_are_refused(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "b.py"
    other.write_text("")

    with pytest.raises(UnreadableError, match=r"b.py is not in the repository "):
        asked(repository, other)


@pytest.mark.parametrize("name", ["", "--all", "-n1", "...", "^main", "a\0b"])
def test_what_is_no_revision(repository: Path, name: str) -> None:
    with pytest.raises(UnreadableError, match=r"is not a revision$"):
        asked(repository, since=name)


@pytest.mark.parametrize("name", ["HEAD:a.py", "main..HEAD", "x y", "$(id)"])
def test_what_git_does_not_know(repository: Path, name: str) -> None:
    with pytest.raises(UnreadableError, match=r"^revision .+ not found"):
        asked(repository, since=name)


def test_branches_without_a_common_beginning(repository: Path) -> None:
    git(repository, "checkout", "-q", "--orphan", "alone")
    git(repository, "commit", "-q", "-m", "alone")

    with pytest.raises(UnreadableError):
        asked(repository, since="main...")


def test_code_from_stdin_stands_for_the_file(repository: Path) -> None:
    given = SourceFile("a.py", b"1\n2\nX\n")

    found = list_changed_lines([], "HEAD", lambda _: None, stdin_source=given)
    new = list_changed_lines([], "HEAD", lambda _: None, stdin_source=SourceFile("no/b.py", b""))

    assert (found, new) == ({"a.py": [3]}, {"no/b.py": [0]})
    assert (repository / "a.py").read_text() == "1\n2\n3\n"


def test_a_partial_clone_fetches_nothing(repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    options = ("-q", "--filter=blob:none", "--no-checkout")
    git(tmp_path, "clone", *options, f"file://{repository}", str(clone))
    (clone / "a.py").write_text("other\n")

    with pytest.raises(UnreadableError):
        asked(clone)
    assert git(clone, "count-objects").startswith("0 ")
