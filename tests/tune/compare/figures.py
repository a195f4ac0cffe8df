"""Trials, windows and sessions made of figures."""

import contextlib
from collections.abc import Generator, Mapping

from msgspec.structs import replace

from pipedoctor.facts import (
    Contents,
    Costs,
    Pipeline,
    Setting,
    Trial,
    Window,
)
from pipedoctor.tune.compare.variants import (
    VariantBench,
)
from pipedoctor.tune.search.limits import ResourceLimits
from pipedoctor.tune.search.probe import TrialRunner
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import TargetSession
from pipedoctor.tune.search.tuning import TuningRequest

CALM = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=0.0)
ALONE = Costs(fetch_wall=0.08, fetch_cpu=0.07, fetch_process=0.07)
CROWD = Costs(fetch_wall=0.08, fetch_cpu=0.05, fetch_process=0.15, process=0.16)


def trial(
    workers: int,
    costs: Costs | None = ALONE,
    rate: float = 100.0,
    window: Window = CALM,
) -> Trial:
    return Trial(
        setting=Setting(num_workers=workers, prefetch_factor=2, batch_size=8),
        samples_per_second=rate,
        batch_seconds=8 / rate,
        batches=10,
        step_seconds=0.003,
        seconds_spent=0.5,
        costs=costs,
        window=window,
    )


def pipeline(*trials: Trial, workers: int = 0) -> Pipeline:
    return Pipeline(
        target="a.py:make",
        start=Setting(num_workers=workers, prefetch_factor=2, batch_size=8),
        contents=Contents(bytes=0, shared_bytes=0, objects=0),
        cpus=2.0,
        trials=trials,
    )


Given = Trial | Exception | list[Trial]
"""A list: one after the other, then no more."""


class Figures(TrialRunner):
    """A bench whose trials were made before."""

    def __init__(self, found: Given, until: float) -> None:
        super().__init__(session=TargetSession("none"), deadline=until)
        self.found = found

    def measure(self, setting: Setting, seconds: float, **_: object) -> Trial:
        self.trial_seconds.append(seconds)
        found = self.found.pop(0) if isinstance(self.found, list) else self.found
        if isinstance(found, Exception):
            raise found
        return replace(found, setting=setting)


class Found(VariantBench):
    """What is measured again gives these figures, by the variables that are set."""

    def __init__(
        self,
        seen: Pipeline,
        *,
        many: Given,
        one: Given | None = None,
        step: str = "",
        budget: float = 1000.0,
    ) -> None:
        order = TuningRequest(target=seen.target, step=step, budget=budget)
        bounds = ResourceLimits(cpus=2.0, cpus_bound="machine", max_workers=2)
        search = SettingSearch(Figures(many, order.deadline), bounds, seen.start, seen)
        for known in seen.trials:
            search.ledger.add(known)
        super().__init__(order, search, loading=0.0)
        self.search = search
        self.many: Given | None = many
        self.one = one
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.at_once: list[int] = []

    @contextlib.contextmanager
    def _open_session(
        self, step: str, variables: Mapping[str, str], share: int = 1
    ) -> Generator[TrialRunner | None, None, None]:
        self.asked.append((step, dict(variables)))
        self.at_once.append(share)
        found = self.one if "OPENBLAS_NUM_THREADS" in variables else self.many
        yield None if found is None else Figures(found, self._request.deadline)
