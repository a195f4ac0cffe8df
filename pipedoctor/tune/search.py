"""Find the best setting: probe, predict all, measure the best few, and again."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_

from msgspec.structs import replace

from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.ledger import Ledger
from pipedoctor.tune.limits import Bounds
from pipedoctor.tune.predict import Model, Prediction, alike
from pipedoctor.tune.probe import Bench, Failed

NEAR = 0.04
"""Settings so close to the best are measured again."""
SAME = 0.008
"""A difference that nobody would pay more workers for."""
WORTH = 0.015
"""The least gain for which a setting is changed."""
UNORDERED = 0.05
"""The least gain for which samples may come in another order."""
_FAR = 0.1
"""The same where windows of one setting differ widely."""
_REPEATS, _OFTEN = 3, 5
_TRIED = 7
"""Numbers of workers; more are hardly worth their time."""
_WORKERS = (*range(9), 10, 12, 14, 16, 20, 24, 32, 40, 48, 64, 96, 128)
_PREFETCH = (2, 4, 8)
_HEAVY_TAIL, _LEAST = 0.15, 1e-6


@dataclass
class Search:
    """One search; `pipeline` and `decide` may be asked at any time."""

    bench: Bench
    bounds: Bounds
    start: Setting
    base: Pipeline
    in_order_known: bool = True
    ledger: Ledger = field(default_factory=Ledger)
    broken: dict[str, str] = field(default_factory=dict[str, str])
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def run(self) -> None:
        """Measure until it is settled or the time is up."""
        self.probe()
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
        most = self.bounds.max_workers
        if method == "fork" or not most:
            return
        setting = self.start if self.start.num_workers else self.of(min(2, most))
        try:
            trial = self.bench.measure(
                setting, 0.3 * share, limit=max(4.0, 4 * share), context=method
            )
        except Failed as reason:
            if self.start.num_workers:
                raise
            bound = f"workers do not start ({method}): {reason}"
            self.bounds = replace_(self.bounds, max_workers=0, workers_bound=bound)
            return
        self.base = replace(self.base, startup_seconds=trial.first_batch_seconds)

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
        key = str(setting)
        limit = max(3.0 * seconds, min(4.0, self.bench.left / 5))
        try:
            trial = self.bench.measure(
                setting, seconds, limit=limit, items=items, trace=trace
            )
        except Failed as reason:
            if self.ledger.of(setting):
                return  # it works: the time was too short
            self.broken[key] = str(reason)
            first = setting.num_workers == 1 and not self.start.num_workers
            if alike(setting, self.start) or first:
                raise
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
            broken = self.bounds.binding(
                setting, model.seen.contents, guess.memory_bytes
            )
            if broken:
                self.skipped.setdefault(broken.partition(":")[0], broken)
            elif str(setting) not in self.broken:
                found.append(guess)
        return found

    def grid(self) -> Iterable[Setting]:
        """Every setting that might be the best one."""
        orders = (True, False) if self._tail() and self.in_order_known else (True,)
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
        """What to measure next; None = it is settled."""
        model = self.model()
        best = self.leader()
        if best is None:
            return None
        promising = [
            guess
            for guess in self.candidates(model)
            if not self.ledger.of(guess.setting)
            and _price(guess) > best.samples_per_second * (1 + SAME)
        ]
        if promising:
            return _cheapest(promising).setting
        twice = self._again(best, 2)  # before anybody else is tried
        other = twice or self._doubtful(model, best) or self._again(best)
        return other or self._deeper(model, best)

    def _doubtful(self, model: Model, best: Trial) -> Setting | None:
        """A number of workers that nobody has tried, and that may yet be faster."""
        tried = {setting.num_workers for setting in self.ledger.settings()}
        most = (self.start.batch_size or 1) / max(model.step_seconds, _LEAST)
        open_ = [
            guess
            for guess in self.candidates(model)
            if guess.setting.num_workers not in tried
            and guess.setting.in_order
            and min(guess.high, most) > best.samples_per_second * (1 + SAME)
        ]
        if len(tried) >= _TRIED or not open_:
            return None
        return max(open_, key=lambda g: (g.high, -g.setting.queued)).setting

    def _again(self, best: Trial, most: int = 2 * _REPEATS) -> Setting | None:
        """The rival of the best, or the best, that was measured least."""
        near = max(NEAR, min(_FAR, 2 * (best.spread or 0.0)))
        rivals = [
            trial
            for trial in self.ledger.merged()
            if trial.samples_per_second >= best.samples_per_second * (1 - near)
            or alike(trial.setting, self.start)
        ]
        rivals.sort(key=lambda t: -t.samples_per_second)
        open_ = [
            trial
            for trial in rivals[:4]
            if self.tries(trial) < min(most, _enough(trial))
        ]
        if not open_:
            return None
        return min(open_, key=self.tries).setting

    def _deeper(self, model: Model, best: Trial) -> Setting | None:
        """The leader with longer queues, where there is time left for it."""
        longer = 2 * (best.setting.prefetch_factor or 0)
        deeper = replace(best.setting, prefetch_factor=longer)
        for guess in self.candidates(model):
            better = guess.high > best.samples_per_second * (1 + SAME)
            if guess.setting == deeper and better and not self.ledger.of(deeper):
                return deeper
        return None

    def tries(self, trial: Trial) -> int:
        """How often this setting was measured."""
        return len(self.ledger.of(trial.setting))

    def leader(self) -> Trial | None:
        """The fastest of all that were measured."""
        trials = self.ledger.merged()
        return max(trials, key=lambda t: t.samples_per_second, default=None)

    def window(self) -> float:
        """How long the next window shall be."""
        return min(2.0, max(0.4, self.bench.left / 9))

    def price(self) -> float:
        """Seconds that the next trial will take, by those so far."""
        recent = self.bench.spent[-3:]
        usual = sum(recent) / len(recent) if recent else 2.0
        return min(usual, self.window() * 2 + 1) + 0.5

    def _tail(self) -> bool:
        """Do few items take most of the time?"""
        return tail(self.bench.items) > _HEAVY_TAIL


def _enough(trial: Trial) -> int:
    """Windows that settle it: more where they differ, or others disturbed."""
    if trial.disturbed:
        return 2 * _REPEATS
    if not trial.spread:
        return 2
    return _REPEATS if trial.spread < NEAR / 2 else _OFTEN


def tail(items: Iterable[tuple[float, float]]) -> float:
    """Share of the time that goes into items of more than five times the median."""
    walls = sorted(wall for wall, _ in items)
    if not walls or not sum(walls):
        return 0.0
    middle = walls[len(walls) // 2]
    return sum(wall - middle for wall in walls if wall > 5 * middle) / sum(walls)


def _price(guess: Prediction) -> float:
    """The rate, less a little for each batch that has to be held in memory."""
    unordered = 0 if guess.setting.in_order else UNORDERED
    return guess.samples_per_second * (1 - 0.0004 * guess.setting.queued - unordered)


def _cheapest(guesses: Sequence[Prediction]) -> Prediction:
    """Of those that promise about the same, the one that holds the fewest batches."""
    most = max(_price(guess) for guess in guesses)
    near = [guess for guess in guesses if _price(guess) > most * (1 - SAME)]
    return min(near, key=lambda guess: (guess.setting.queued, -_price(guess)))
