"""Which moment `--since` means, and which report was kept nearest before it."""

import datetime as dt
from pathlib import Path

import pytest

from pipedoctor.diff.since import find_nearest, parse_since
from pipedoctor.report.archive import ArchivedReport

ZONE = dt.timezone(dt.timedelta(hours=2))
NOW = dt.datetime(2026, 11, 21, 22, 5, 7, tzinfo=ZONE)


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=ZONE)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("today", "2026-11-21T22:05:07"),
        ("yesterday", "2026-11-20T23:59:59.999999"),
        (" Yesterday ", "2026-11-20T23:59:59.999999"),
        ("2 days ago", "2026-11-19T22:05:07"),
        ("a day ago", "2026-11-20T22:05:07"),
        ("an hour ago", "2026-11-21T21:05:07"),
        ("90  minutes ago", "2026-11-21T20:35:07"),
        ("1 week ago", "2026-11-14T22:05:07"),
        ("2026-11-20", "2026-11-20T23:59:59.999999"),
        ("2026-11-20 14:30", "2026-11-20T14:30:00"),
        ("2026-11-20t14:30:59", "2026-11-20T14:30:00"),
        ("2026-11-20T14:30Z", "2026-11-20T16:30:00"),
    ],
)
def test_moments(text: str, moment: str) -> None:
    assert parse_since(text, NOW) == at(moment)


def test_last_is_no_moment() -> None:
    assert parse_since("LAST", NOW) is None


@pytest.mark.parametrize(
    "text",
    [
        *("", "tomorrow", "days ago", "2 days", "-1 days ago", "2.5 days ago"),
        *("20261120", "2026-13-01", "2026-11-31", "2026-11-20 25:00"),
        *("99999 days ago", "\u0661 day ago"),
    ],
)
def test_nothing_is_guessed(text: str) -> None:
    with pytest.raises(ValueError, match="is not a valid time: "):
        parse_since(text, NOW)


def kept(*days: int) -> list[ArchivedReport]:
    return [
        ArchivedReport(
            dt.datetime(2026, 11, day, 12, tzinfo=dt.timezone.utc),
            Path(str(day)),
            "fine",
        )
        for day in days
    ]


@pytest.mark.parametrize(
    ("days", "moment", "found"),
    [
        ((18, 20, 21), "2026-11-20T23:59:59", "20"),
        ((21, 20, 18), "2026-11-20T23:59:59", "20"),
        ((18, 21), "2026-11-20T23:59:59", "18"),
        ((20,), "2026-11-20T14:00:00", "20"),
        ((20,), "2026-11-20T13:59:59", None),
        ((), "2026-11-20T14:00:00", None),
        ((18, 21, 20), None, "21"),
        ((), None, None),
    ],
)
def test_the_nearest_before(days: tuple[int, ...], moment: str | None, found: str | None) -> None:
    one = find_nearest(kept(*days), at(moment) if moment else None)

    assert (str(one.path) if one else None) == found
