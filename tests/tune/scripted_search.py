"""A search whose trials follow a law instead of being measured."""

from collections.abc import Callable
from typing import Any, cast

from pipedoctor.facts import Contents, Setting, Shares, Trial
from pipedoctor.tune.search.limits import ResourceLimits
from pipedoctor.tune.search.probe import TrialRunner
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.tuning import Tuning, TuningRequest, build_tuning
from tests.tune.seen import costs, pipeline, setting, trial, window

CONTENTS = Contents(bytes=800_000, shared_bytes=802_816, objects=2, float_bytes=800_000)

Law = Callable[[Setting], Trial]


class Scripted(TrialRunner):
    """Gives trials by a law, in no time; its own clock counts what they would cost."""

    def __init__(self, law: Law, seconds: float = 28.0) -> None:
        super().__init__(session=cast("Any", None), deadline=0.0)
        self.law, self.rest = law, seconds
        self.asked: list[Setting] = []
        self.contents = CONTENTS
        self.wall_shares = self.cpu_shares = Shares(read=0.8, decode=0.1, transform=0.1)

    @property
    def seconds_left(self) -> float:
        return self.rest

    def measure(self, setting: Setting, seconds: float, **more: Any) -> Trial:
        self.asked.append(setting)
        self.rest -= seconds + 0.5
        self.trial_seconds.append(seconds + 0.5)
        if more.get("items"):
            self.items = ((0.008, 0.0001),) * 100
        return self.law(setting)


WAITS = costs(fetch_wall=0.13, fetch_cpu=0.002, fetch_process=0.002)


def waiting(of: Setting) -> Trial:
    """Eight milliseconds for a sample, for each worker alone."""
    each = 0.132 / max(1, of.num_workers)
    return trial(of.num_workers, each, setting=of, costs=WAITS, window=window(own=0.1))


BOUNDS = ResourceLimits(cpus=2.0, cpus_bound="machine", max_workers=8)


def search(law: Law, start: Setting | None = None, **values: Any) -> SettingSearch:
    start = start or setting(0)
    return SettingSearch(
        Scripted(law),
        values.pop("bounds", BOUNDS),
        start,
        pipeline(start=start, contents=CONTENTS),
        **values,
    )


def computing(of: Setting) -> Trial:
    """Two processors, and a tenth for each worker too many."""
    each = 0.02 / max(1, min(of.num_workers, 2)) * (1 + 0.1 * max(0, of.num_workers - 2))
    busy = window(own=min(2, max(1, of.num_workers)))
    return trial(of.num_workers, each, setting=of, window=busy)


def tuning(found: SettingSearch, **values: Any) -> Tuning:
    return build_tuning(TuningRequest(target="data.py:make"), found, **values)


def done() -> Tuning:
    found = search(waiting)
    found.run()
    return tuning(found)


def surprising(of: Setting) -> Trial:
    """Two processors; four workers are somewhat faster than they let expect."""
    each = {0: 0.02, 1: 0.02, 2: 0.0105, 3: 0.0103}.get(of.num_workers, 0.0098)
    busy = window(own=min(2, max(1, of.num_workers)))
    return trial(of.num_workers, each, setting=of, window=busy, spread=0.01)
