"""Find the best setting: probe, predict all, measure the best few, and again."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from dataclasses import replace as replace_

from msgspec.structs import replace

from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune import promise
from pipedoctor.tune.foretold import Foresight
from pipedoctor.tune.ledger import Ledger
from pipedoctor.tune.limits import Bounds
from pipedoctor.tune.predict import Model, Prediction, alike
from pipedoctor.tune.probe import Bench, Failed
from pipedoctor.tune.sharing import tail

SAME = 0.008
"""A difference that nobody would pay more workers for."""
WORTH = 0.015
"""The least gain for which a setting is changed."""
_OFTEN, _DISTURBED = 5, 6
"""Windows of one setting at most, and where others disturbed them."""
_TRIED = 7
"""Numbers of workers; more are hardly worth their time."""
_WORKERS = (*range(9), 10, 12, 14, 16, 20, 24, 32, 40, 48, 64, 96, 128)
_PREFETCH = (2, 4, 8)
_HEAVY_TAIL = 0.15
_WINDOW, _LONGER = 1.0, 1.0
"""Seconds of a window, and by how much it is longer where its rate varies."""


@dataclass
class Search:
    """One search; `pipeline` and `decide` may be asked at any time."""

    bench: Bench
    bounds: Bounds
    start: Setting
    base: Pipeline
    in_order_known: bool = True
    ledger: Ledger = field(default_factory=Ledger)
    foresight: Foresight = field(default_factory=Foresight)
    broken: dict[str, str] = field(default_factory=dict[str, str])
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    """Limits that keep settings out, by their names; not all of them bind."""
    notes: dict[str, str] = field(default_factory=dict[str, str])
    """What else is to be said of all settings."""
    startups: dict[str, Trial] = field(default_factory=dict[str, Trial])
    """By the method that started their workers."""

    def run(self, *, kept: Callable[[Pipeline], float] = lambda _: 0.0) -> None:
        """
        Measure until it is settled or the time is up.

        `kept` says, of what was probed, how many seconds are needed for something else.
        """
        self.probe()
        self.bench.until -= kept(self.pipeline())
        self.bench.more = _LONGER
        while self.bench.left > self.price():
            setting = self.next()
            if setting is None:
                return
            self.measure(setting, self.window())

    def probe(self) -> None:
        """The few trials from which everything else is predicted."""
        share = self.bench.left / 26
        alone = self.of(0)
        only = not self.bounds.max_workers
        self.measure(alone, 1.0 * share, items=only, trace=0.5 * share)
        if not alike(self.start, alone):
            self.measure(self.start, 1.0 * share)
        self.startup(share)
        for workers in self.anchors():
            if self.bench.left < self.price():
                return
            self.measure(self.of(workers), 1.2 * share, items=workers == 1)

    def startup(self, share: float) -> None:
        """How long workers take to start where they are not forked, if they do."""
        method = self.base.start_method
        if method == "fork" or not self.bounds.max_workers:
            return
        try:
            trial = self.starting(method, share)
        except Failed as reason:
            if self.start.num_workers:
                raise
            bound = f"workers do not start ({method}): {reason}"
            self.bounds = replace_(self.bounds, max_workers=0, workers_bound=bound)
            return
        self.base = replace(
            self.base,
            startup_seconds=trial.first_batch_seconds,
            ending_seconds=trial.ending_seconds,
            startup_workers=trial.setting.num_workers,
        )

    def starting(self, method: str, share: float) -> Trial:
        """Start workers in this way; raises Failed."""
        few = min(2, self.bounds.max_workers)
        setting = self.start if self.start.num_workers else self.of(few)
        self.startups[method] = self.bench.measure(
            setting, 0.3 * share, limit=max(4.0, 4 * share), context=method
        )
        return self.startups[method]

    def anchors(self) -> Iterator[int]:
        """One worker, and as many as there are processors."""
        most = self.most()
        if most:
            yield 1
        cores = min(most, max(2, math.floor(self.bounds.cpus)))
        if cores > 1:
            yield cores

    def of(self, workers: int, prefetch: int = 2, in_order: bool = True) -> Setting:
        """The start setting with other workers."""
        return replace(
            self.start,
            num_workers=workers,
            prefetch_factor=prefetch if workers else None,
            in_order=in_order if workers else True,
            persistent_workers=bool(workers and self.start.persistent_workers),
        )

    def measure(
        self,
        setting: Setting,
        seconds: float,
        *,
        items: bool = False,
        trace: float = 0.0,
    ) -> None:
        """Measure one setting; one that fails is left out from now on."""
        self.foresight.note(self.pipeline(), setting)
        limit = max(3.0 * seconds, min(4.0, self.bench.left / 5))
        try:
            trial = self.bench.measure(
                setting, seconds, limit=limit, items=items, trace=trace
            )
        except Failed as reason:
            if self.ledger.of(setting):
                return  # it works: the time was too short
            self.broken[str(setting)] = said = str(reason)
            first = setting.num_workers == 1 and not self.start.num_workers
            if alike(setting, self.start) or first:
                if reason.late:  # what came before may have taken the time
                    said = "; ".join(self.broken.values())
                raise reason.final(self.base.target, said) from None
            return
        self.ledger.add(trial, undivided=self.bench.copies)

    def pipeline(self) -> Pipeline:
        """All that is known now."""
        bench = self.bench
        contents = bench.contents or self.base.contents
        return replace(
            self.base,
            contents=contents,
            items=bench.items,
            wall=bench.wall,
            cpu=bench.cpu,
            fault_seconds=bench.fault_seconds,
            cpus=self.bounds.cpus,
            cpus_bound=self.bounds.cpus_bound,
            trials=self.ledger.merged(),
            undivided=bench.copies,
        )

    def model(self) -> Model:
        """A model of all that is known now."""
        return Model(seen=self.pipeline())

    def candidates(self, model: Model) -> list[Prediction]:
        """Predictions for every setting that no limit forbids."""
        found: list[Prediction] = []
        for setting in self.grid():
            guess = model.predict(setting)
            broken = self.bounds.forbids(guess, model.seen.contents)
            if broken:
                self.skipped.setdefault(broken.partition(":")[0], broken)
            elif str(setting) not in self.broken:
                found.append(guess)
        return found

    def grid(self) -> Iterable[Setting]:
        """Every setting that might be the best one."""
        loose = self.in_order_known and tail(self.bench.items) > _HEAVY_TAIL
        orders = (True, False) if loose else (True,)
        yield self.of(0)
        for workers in _WORKERS[1:]:
            if workers > self.most():
                break
            for prefetch in _PREFETCH:
                for in_order in orders:
                    yield self.of(workers, prefetch, in_order)
        yield self.start

    def most(self) -> int:
        """Workers that may be tried: no more than an epoch has batches."""
        samples, size = self.base.samples, self.start.batch_size
        batches = -(-samples // size) if samples and size else self.bounds.max_workers
        return min(self.bounds.max_workers, batches)

    def next(self) -> Setting | None:
        """What to measure next; None = nothing that is left is worth its time."""
        best = self.leader()
        if best is None:
            return None
        model = self.model()
        gains = {
            guess: promise.gain(model, guess, best)
            for guess in self.candidates(model)
            if not self.ledger.of(guess.setting)
        }
        found = self._promising(model, gains, best) or self._again(best, 2)
        found = found or self._doubtful(gains) or self._again(best)
        return found or self._deeper(gains, best)

    def _promising(
        self, model: Model, gains: dict[Prediction, float], best: Trial
    ) -> Setting | None:
        """The cheapest of those that are expected to be faster."""
        least = best.samples_per_second * (1 + SAME)
        rates = {
            guess: min(promise.price(guess), promise.ceiling(model, guess.setting))
            for guess in gains
        }
        faster = {guess: rate for guess, rate in rates.items() if rate > least}
        if not faster:
            return None
        near = (1 - SAME) * max(faster.values())
        cheap = [guess for guess, rate in faster.items() if rate > near]
        return min(cheap, key=lambda g: (g.setting.queued, -faster[g])).setting

    def _doubtful(self, gains: dict[Prediction, float]) -> Setting | None:
        """A number of workers that nobody has tried, and that may yet be faster."""
        tried = {setting.num_workers for setting in self.ledger.settings()}
        open_ = {
            guess: gain
            for guess, gain in gains.items()
            if gain > promise.SURE
            and guess.setting.num_workers not in tried
            and guess.setting.in_order
        }
        if len(tried) >= _TRIED or not open_:
            return None
        return max(open_, key=lambda g: (open_[g], -g.setting.queued)).setting

    def _again(self, best: Trial, most: int = _DISTURBED) -> Setting | None:
        """The best, the start or a rival: which was measured least, if it counts."""
        others = [t for t in self.ledger.merged() if not alike(t.setting, best.setting)]
        rivals = [t for t in others if promise.loss(best, t) > promise.SURE / 2]
        starts = [t for t in others if alike(t.setting, self.start)]
        often = [(best, _OFTEN if rivals else 2), *((t, 2) for t in starts)]
        often += [(t, _OFTEN) for t in rivals]
        open_ = [
            trial
            for trial, enough in often
            if self.tries(trial) < min(most, most if trial.disturbed else enough)
        ]
        return min(open_, key=self.tries).setting if open_ else None

    def _deeper(self, gains: dict[Prediction, float], best: Trial) -> Setting | None:
        """The leader with longer queues, where there is time left for it."""
        longer = 2 * (best.setting.prefetch_factor or 0)
        deeper = replace(best.setting, prefetch_factor=longer)
        found = (
            guess.setting
            for guess, gain in gains.items()
            if guess.setting == deeper and gain > promise.SURE
        )
        return next(found, None)

    def tries(self, trial: Trial) -> int:
        """How often this setting was measured."""
        return len(self.ledger.of(trial.setting))

    def leader(self) -> Trial | None:
        """The fastest of all that were measured."""
        trials = self.ledger.merged()
        return max(trials, key=lambda t: t.samples_per_second, default=None)

    def window(self) -> float:
        """How long the next window shall be."""
        return min(_WINDOW, max(0.4, self.bench.left / 9))

    def price(self) -> float:
        """Seconds that the next trial will take, by those so far."""
        recent = self.bench.spent[-3:]
        usual = sum(recent) / len(recent) if recent else 2.0
        return min(usual, self.window() * 2 + 1) + 0.5
