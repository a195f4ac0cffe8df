"""What checks of growth share: does a number grow steadily, how long will it last?"""

from pipedoctor.facts import LiveJob, LiveProcess, Trend

MIN_READINGS = 4
MIN_STEADINESS = 0.8
"""Fit of a straight line: 1 is exact."""
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0


def find_growth(trend: Trend | None, least: float) -> Trend | None:
    """The trend if it grew by so much, and steadily; a job that warms up stops."""
    if trend is None or trend.readings < MIN_READINGS:
        return None
    steady = trend.steadiness >= MIN_STEADINESS and trend.per_second > 0
    return trend if steady and trend.last - trend.first >= least else None


def find_fastest(
    trends: list[tuple[LiveProcess, Trend]],
) -> tuple[LiveProcess, Trend] | None:
    """The process whose number grows the fastest."""
    return max(trends, key=lambda pair: pair[1].per_second, default=None)


def name_process(process: LiveProcess, job: LiveJob) -> str:
    """``worker 123 of rank 1``, ``the main process 120``."""
    rank = process.rank
    of_rank = f" of rank {rank}" if rank is not None and len(job.main_processes) > 1 else ""
    if process.role == "worker":
        return f"worker {process.pid}{of_rank}"
    return f"the main process {process.pid}{of_rank}"


def describe_time_left(seconds: float | None) -> str:
    """``; the limit is reached in 40 minutes``; empty: no limit is known."""
    if seconds is None:
        return ""
    for unit, name in ((_DAY, "days"), (_HOUR, "hours"), (_MINUTE, "minutes")):
        if seconds >= 2 * unit:
            return f"; the limit is reached in {seconds / unit:.0f} {name}"
    return f"; the limit is reached in {seconds:.0f} s"


def trend_evidence(process: LiveProcess, trend: Trend) -> dict[str, float | int | None]:
    """The figures of one trend."""
    return {
        "pid": process.pid,
        "first": trend.first,
        "last": trend.last,
        "per_second": round(trend.per_second, 3),
        "limit": trend.limit,
        "seconds_left": trend.seconds_left,
    }
