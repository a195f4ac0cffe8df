"""The times that `--since` understands: a small grammar, and nothing is guessed."""

import datetime as dt
import re
from collections.abc import Sequence

from pipedoctor.history import Kept

GRAMMAR = (
    "last, yesterday, today, a number of minutes, hours, days or weeks as in"
    " `2 days ago`, or a date 2026-11-20 with or without a time 14:30"
)

_AGO = re.compile(r"(an?|[0-9]{1,4}) (minute|hour|day|week)s? ago")
_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::[0-9]{2})?(Z?))?"
)
_SPANS = {
    "minute": dt.timedelta(minutes=1),
    "hour": dt.timedelta(hours=1),
    "day": dt.timedelta(days=1),
    "week": dt.timedelta(weeks=1),
}


def parse(text: str, now: dt.datetime) -> dt.datetime | None:
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
        return now if words == "today" else _end(now - dt.timedelta(days=days))
    if ago := _AGO.fullmatch(words):
        number = 1 if ago[1].startswith("a") else int(ago[1])
        return now - number * _SPANS[ago[2]]
    if date := _DATE.fullmatch(words.upper()):
        return _date(date, now)
    message = f"{text!r} is no time: expected {GRAMMAR}"
    raise ValueError(message)


def nearest(kept: Sequence[Kept], moment: dt.datetime | None) -> Kept | None:
    """The newest report that was kept up to this moment; None: there is none."""
    fitting = (one for one in kept if moment is None or one.when <= moment)
    return max(fitting, key=lambda one: one.when, default=None)


def _end(day: dt.datetime) -> dt.datetime:
    return day.replace(hour=23, minute=59, second=59, microsecond=999_999)


def _date(date: re.Match[str], now: dt.datetime) -> dt.datetime:
    day, time, utc = date[1], date[2], date[3]
    try:
        moment = dt.datetime.fromisoformat(f"{day}T{time or '00:00'}")
    except ValueError as error:
        message = f"{date[0]!r} is no time: {error}"
        raise ValueError(message) from None
    moment = moment.replace(tzinfo=dt.timezone.utc if utc else now.tzinfo)
    return moment if time else _end(moment)
