"""The table of what breaks pipelines how often: whole, and used."""

import datetime as dt

import pytest

from pipedoctor.diff.field_meanings import read_field_table
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts.world_culprits import Culprit, Culprits

(TABLE,) = (t for t in get_catalogue().tables if isinstance(t, Culprits))
UNHEARD = {"kernel", "code"}
"""Parts that no ticket is about; they stand among the others."""


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.component)
def test_row_is_whole(row: Culprit) -> None:
    assert 0 < row.tickets <= TABLE.tickets
    assert row.causes
    assert row.source.startswith("https://")
    assert dt.date.fromisoformat(row.checked).year >= 2026


def test_the_most_frequent_stands_first() -> None:
    counts = [row.tickets for row in TABLE.rows]

    assert counts == sorted(counts, reverse=True)
    assert len({row.component for row in TABLE.rows}) == len(TABLE.rows)


def test_causes_are_checks_or_known_to_the_log() -> None:
    checks = get_catalogue().by_name
    unknown = {c for row in TABLE.rows for c in row.causes if c not in checks}

    assert unknown == set()


def test_every_part_that_a_field_names_is_in_the_table() -> None:
    named = {row.worth for row in read_field_table().values() if row.worth}

    assert {name for name in named if TABLE.find(name) is None} == UNHEARD
    by_package = {row.component for row in TABLE.rows if row.packages}
    assert {row.component for row in TABLE.rows} == (named - UNHEARD) | by_package


@pytest.mark.parametrize(
    ("package", "component"),
    [
        ("torch", "torch"),
        ("nvidia-cudnn-cu12", "cudnn"),
        ("nvidia-cublas-cu12", "cuda"),
        ("opencv-python-headless", "opencv"),
        ("pillow-simd", "pillow"),
        ("torchmetrics", None),
    ],
)
def test_packages(package: str, component: str | None) -> None:
    row = TABLE.find_by_package(package)

    assert (row.component if row else None) == component
