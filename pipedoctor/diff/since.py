"""The times that `--since` understands: a small grammar, and nothing is guessed."""

import datetime as dt
import re
from collections.abc import Sequence

from pipedoctor.report.archive import ArchivedReport

SINCE_GRAMMAR = (
    "last, yesterday, today, a number of minutes, hours, days or weeks as in"
    " `2 days ago`, or a date 2026-11-20 with or without a time 14:30"
)

_AGO_PATTERN = re.compile(r"(an?|[0-9]{1,4}) (minute|hour|day|week)s? ago")
_DATE_PATTERN = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::[0-9]{2})?(Z?))?"
)
_UNIT_LENGTHS = {
    "minute": dt.timedelta(minutes=1),
    "hour": dt.timedelta(hours=1),
    "day": dt.timedelta(days=1),
    "week": dt.timedelta(weeks=1),
}


def parse_since(text: str, now: dt.datetime) -> dt.datetime | None:
    """
    The moment that is meant; None: `last`, the newest report there is.

    `now` has a time zone, in which days begin and end and times are read. A day
    means its end, so that what was kept on it counts. Raises ValueError.
    """
    words = " ".join(text.lower().split())
    if words == "last":
        return None
    if words in {"yesterday", "today"}:
        days = 1 if words == "yesterday" else 0
        return now if words == "today" else _to_end_of_day(now - dt.timedelta(days=days))
    if ago := _AGO_PATTERN.fullmatch(words):
        number = 1 if ago[1].startswith("a") else int(ago[1])
        return now - number * _UNIT_LENGTHS[ago[2]]
    if date := _DATE_PATTERN.fullmatch(words.upper()):
        return _parse_date(date, now)
    message = f"{text!r} is not a valid time: expected {SINCE_GRAMMAR}"
    raise ValueError(message)


def find_nearest(
    reports: Sequence[ArchivedReport], moment: dt.datetime | None
) -> ArchivedReport | None:
    """The newest report that was kept up to this moment; None: there is none."""
    fitting = (one for one in reports if moment is None or one.created <= moment)
    return max(fitting, key=lambda one: one.created, default=None)


def _to_end_of_day(day: dt.datetime) -> dt.datetime:
    return day.replace(hour=23, minute=59, second=59, microsecond=999_999)


def _parse_date(date: re.Match[str], now: dt.datetime) -> dt.datetime:
    day, time, utc = date[1], date[2], date[3]
    try:
        moment = dt.datetime.fromisoformat(f"{day}T{time or '00:00'}")
    except ValueError as error:
        message = f"{date[0]!r} is not a valid time: {error}"
        raise ValueError(message) from None
    moment = moment.replace(tzinfo=dt.timezone.utc if utc else now.tzinfo)
    return moment if time else _to_end_of_day(moment)
