"""What .gitignore and the usual excludes leave out, below PATHS and never above."""

from pathlib import Path

import pytest

from pipedoctor.source.discover.files import find_source_files


def _tree(top: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _found(top: Path, *paths: str, gitignore: bool = True) -> set[str]:
    given = [str(top / path) for path in paths] or [str(top)]
    found = find_source_files(given, gitignore=gitignore)
    return {Path(file.path).relative_to(top).as_posix() for file in found}


RULES: dict[str, tuple[dict[str, str], set[str]]] = {
    "none": ({}, {"a.py", "sub/b.py", "sub/c.py"}),
    "a name, anywhere": ({".gitignore": "b.py\n"}, {"a.py", "sub/c.py"}),
    "only here": ({".gitignore": "/b.py\n/a.py\n"}, {"sub/b.py", "sub/c.py"}),
    "a folder": ({".gitignore": "sub/\n"}, {"a.py"}),
    "all but one": ({".gitignore": "*.py\n!c.py\n"}, {"sub/c.py"}),
    "nearer rules win": (
        {".gitignore": "*.py\n", "sub/.gitignore": "!b.py\n"},
        {"sub/b.py"},
    ),
    "nothing comes back below a folder that is out": (
        {".gitignore": "sub/\n", "sub/.gitignore": "!b.py\n"},
        {"a.py"},
    ),
    "a set of letters": ({".gitignore": "[bx].py\nsub/c.[pq]y\n"}, {"a.py"}),
    "an escaped letter": ({".gitignore": "\\b.py\n"}, {"a.py", "sub/c.py"}),
    "the last rule wins": ({".gitignore": "!b.py\n*.py\n!a.py\n"}, {"a.py"}),
    "comments and blanks": (
        {".gitignore": "# a.py\n\n  \n"},
        {"a.py", "sub/b.py", "sub/c.py"},
    ),
    "one rule that is none": ({".gitignore": "!\nb.py\n"}, {"a.py", "sub/c.py"}),
    "for this clone alone": (
        {".git/info/exclude": "b.py\n"},
        {"a.py", "sub/c.py"},
    ),
}


@pytest.mark.parametrize(("rules", "expected"), RULES.values(), ids=RULES)
def test_rules(rules: dict[str, str], expected: set[str], tmp_path: Path) -> None:
    _tree(tmp_path, {"a.py": "", "sub/b.py": "", "sub/c.py": "", **rules})
    assert _found(tmp_path) == expected
    assert _found(tmp_path, gitignore=False) == {"a.py", "sub/b.py", "sub/c.py"}


def test_rules_above_hold_within_a_repository_only(tmp_path: Path) -> None:
    files = {".gitignore": "b.py\n", "sub/b.py": "", "sub/c.py": ""}
    _tree(tmp_path, files)
    assert _found(tmp_path, "sub") == {"sub/b.py", "sub/c.py"}
    (tmp_path / ".git").mkdir()
    assert _found(tmp_path, "sub") == {"sub/c.py"}


def test_what_is_named_is_read_whatever_is_ignored(tmp_path: Path) -> None:
    _tree(tmp_path, {".gitignore": "sub\nb.py\n", "sub/b.py": "", "sub/build/c.py": ""})
    (tmp_path / ".git").mkdir()
    assert _found(tmp_path, "sub") == {"sub/b.py"}
    assert _found(tmp_path, "sub/b.py", "sub/build") == {"sub/b.py", "sub/build/c.py"}


@pytest.mark.parametrize("name", [".git", ".venv", "node_modules", "build", "dist"])
def test_usual_excludes(name: str, tmp_path: Path) -> None:
    _tree(tmp_path, {"a.py": "", f"{name}/b.py": "", f"sub/{name}/c.py": ""})
    assert _found(tmp_path, gitignore=False) == {"a.py"}
    assert _found(tmp_path, name) == {f"{name}/b.py"}


def test_an_environment_is_known_by_its_record(tmp_path: Path) -> None:
    _tree(tmp_path, {"a.py": "", "my/b.py": "", "my/pyvenv.cfg": "home = /usr\n"})
    assert _found(tmp_path) == {"a.py"}
    assert _found(tmp_path, "my") == {"my/b.py"}


def test_rules_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    _tree(tmp_path, {"a.py": ""})
    (tmp_path / ".gitignore").mkdir()
    assert _found(tmp_path) == {"a.py"}
