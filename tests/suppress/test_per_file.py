"""Patterns mean files as users of ruff and git expect."""

import pytest

from pipedoctor.check import Finding, Location, Severity, Verdict
from pipedoctor.source.discover.path_patterns import matches_pattern
from pipedoctor.suppress.per_file import FileIgnore, ignore_per_file


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("tests/*", "src/tests/a.py"),
        ("tests", "latests/a.py"),
        ("*.ipynb", "a.py"),
        ("a.py", "aa.py"),
        ("a.py", "a.pyx"),
        ("src/a.py", "a.py"),
        ("!tests/*", "tests/a.py"),
        ("**/gen/*.py", "gen.py"),
        ("[ab].py", "c.py"),
        ("tests/*.py", "tests/deep/a.py"),
        ("/", "/abs/a.py"),
        ("", "a.py"),
    ],
)
def test_other_files_are_not_meant(pattern: str, path: str) -> None:
    assert not matches_pattern(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("tests/*", "tests/a.py"),
        ("tests/*", "tests/deep/a.py"),
        ("tests", "tests/deep/a.py"),
        ("tests/", "src/tests/a.py"),
        ("tests/", "tests"),
        ("/abs/*", "/abs/deep/a.py"),
        ("./tests/*", "tests/a.py"),
        ("tests/*", "./tests/a.py"),
        ("*_test.py", "src/x_test.py"),
        ("**/gen/*.py", "gen/a.py"),
        ("**/gen/*.py", "a/b/gen/a.py"),
        ("src/**/a.py", "src/a.py"),
        ("!tests/*", "src/a.py"),
        ("[ab].py", "b.py"),
        ("a?.py", "ab.py"),
        ("a\nb.py", "a\nb.py"),
        ("<user-1>/*", "<user-1>/a.py"),
    ],
)
def test_meant(pattern: str, path: str) -> None:
    assert matches_pattern(pattern, path)


def test_patterns_count_from_the_file_that_holds_them() -> None:
    assert matches_pattern("src/a.py", "a.py", "src/")
    assert not matches_pattern("src/a.py", "a.py", "lib/")


def found(*paths: str) -> Verdict:
    spots = [Location(path=path, line=1) for path in paths]
    finding = Finding(
        severity=Severity.SLOWS,
        summary="s",
        location=spots[0],
        also_at=tuple(spots[1:]),
    )
    return Verdict("X1", (finding,))


RULES = (FileIgnore(pattern="tests/*", codes=frozenset({"X1"})),)


def test_only_the_named_checks_are_ignored() -> None:
    other = (FileIgnore(pattern="tests/*", codes=frozenset({"X2"})),)

    assert ignore_per_file(found("tests/a.py"), other, str) == found("tests/a.py")
    assert ignore_per_file(found("src/a.py"), RULES, str) == found("src/a.py")


def test_a_check_whose_findings_are_all_ignored_is_skipped() -> None:
    verdict = ignore_per_file(found("tests/a.py"), RULES, str)

    assert verdict == Verdict(
        "X1", skipped="ignored in tests/* by per-file-ignores: 1 finding", accepted=True
    )


def test_places_elsewhere_stay() -> None:
    verdict = ignore_per_file(found("tests/a.py", "src/b.py", "src/c.py"), RULES, str)

    assert verdict == found("src/b.py", "src/c.py")


def test_findings_about_the_machine_stay() -> None:
    verdict = Verdict("X1", (Finding(severity=Severity.NOTE, summary="s"),))

    assert ignore_per_file(verdict, RULES, str) == verdict


def test_a_notebook_is_meant_by_its_file() -> None:
    rules = (FileIgnore(pattern="*.ipynb", codes=frozenset({"X1"})),)

    assert ignore_per_file(found("a.ipynb#cell3"), rules, str).skipped


def test_redacted_paths_are_found_as_well() -> None:
    rules = (FileIgnore(pattern="carol/*", codes=frozenset({"X1"})),)

    def redact(text: str) -> str:
        return text.replace("carol", "<user-1>")

    assert ignore_per_file(found("<user-1>/a.py"), rules, redact).skipped == (
        "ignored in <user-1>/* by per-file-ignores: 1 finding"
    )
