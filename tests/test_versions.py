"""Versions as plain numbers."""

import pytest

from pipedoctor.versions import (
    find_version,
    get_major,
    get_series,
    is_at_least,
    is_prerelease,
    parse_version,
)


@pytest.mark.parametrize(
    ("version", "parts"),
    [
        ("2.13.0", (2, 13, 0)),
        ("2.13.0a0+git1234", (2, 13, 0)),
        ("450.80.02", (450, 80, 2)),
        (" v1.2", (1, 2)),
        ("12", (12,)),
        ("", ()),
        ("N/A", ()),
        ("1.14.0.dev20221119", (1, 14, 0)),
    ],
)
def test_numbers(version: str, parts: tuple[int, ...]) -> None:
    assert parse_version(version) == parts


@pytest.mark.parametrize(
    ("version", "minimum", "enough"),
    [
        ("450.80.02", "450.80.02", True),
        ("450.80.01", "450.80.02", False),
        ("450.119.03", "450.80.02", True),
        ("12", "12.0", True),
        ("12.0", "12", True),
        ("2.9", "2.10", False),
        ("", "1", False),
    ],
)
def test_reaches(version: str, minimum: str, enough: bool) -> None:
    assert is_at_least(version, minimum) is enough


def test_series_and_major() -> None:
    assert get_series("2.13.0+cu126") == "2.13"
    assert get_series("12") == "12"
    assert get_series("") == ""
    assert get_major("580.95.05") == 580
    assert get_major("") is None


@pytest.mark.parametrize(
    ("version", "early"),
    [
        ("2.13.0", False),
        ("2.13.0+cu126", False),
        ("2.13.0+cpu", False),
        ("2.13.0.post1", False),
        ("1.4.0a0", True),
        ("0.5.0a0+fa5d95a", True),
        ("2.9.0.dev20250901+cu130", True),
        ("2.1.0rc1", True),
        ("2.1.0b2", True),
        ("2.1.0+gitabc", True),
        ("0.16.0+fbb4cc5", True),
    ],
)
def test_unreleased(version: str, early: bool) -> None:
    assert is_prerelease(version) is early


@pytest.mark.parametrize(
    ("clauses", "found"),
    [
        (["<2", ">=1.22"], "1.99999"),
        ([">2", "<2.0.1"], "2.0.0.99999"),
        ([">2"], "2.0.1"),
        (["~=2.1"], "2.1.0.1"),
        (["==1.0", "==1.0.0"], "1.0.0"),
        ([], "1"),
        (["<2", ">=2"], ""),
        ([">=2.5,<2.6", "==2.6.0"], ""),
        (["<0"], ""),
    ],
)
def test_a_release_that_all_clauses_allow(clauses: list[str], found: str) -> None:
    assert find_version(clauses) == found
