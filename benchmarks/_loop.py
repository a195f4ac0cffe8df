"""Rates of a loader by a plain loop, which shares no code with pipedoctor."""

import json
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

LoaderArguments = dict[str, Any]
"""Arguments of a DataLoader."""
ROUNDS, MORE = 3, 5
"""Windows of every setting, and of those whose windows differ."""
APART = 0.05
"""Windows that differ by more are followed by others."""
_FOREIGN = 0.12
"""CPUs that others may use; a window in which it is more is measured again."""
_AGAIN = 3
_LONGEST = 6.0
_STRETCH = 4
"""How much longer a window may take whose rate is not known yet."""
_KNOWN = 0.015
"""Relative standard error of a rate that is."""
_BLOCKS, _FEWEST = 10, 4
_PATIENCE = 0.6
"""Seconds of emptying the queue, for each second of the window."""


class WorkloadLoop:
    """A loader of the user, its consumer, and whether its epochs count."""

    def __init__(
        self, make: Callable[[], Any], step: Callable[[Any], Any], *, epochs: bool
    ) -> None:
        self.make, self.step, self.epochs = make, step, epochs

    def measure_rate(self, setting: LoaderArguments, seconds: float) -> float:
        """Samples per second: of some windows, the one that others disturbed least."""
        found: list[tuple[float, float]] = []
        for _ in range(_AGAIN):
            began, spent = time.monotonic(), _foreign_cpu_seconds()
            rate = self._measure_once(setting, seconds)
            lost = (_foreign_cpu_seconds() - spent) / (time.monotonic() - began)
            found.append((lost, rate))
            if lost < _FOREIGN:
                break
        return min(found)[1]

    def _measure_once(self, setting: LoaderArguments, seconds: float) -> float:
        """Samples per second, in a forked process."""
        rate = self._measure_epoch_rate if self.epochs else self._measure_steady_rate
        return float(run_in_fork(lambda: rate(setting, seconds)) or "nan")

    def _measure_steady_rate(self, setting: LoaderArguments, seconds: float) -> float:
        """Whole rounds of batches after the queue was emptied."""
        made = self.make()
        batches = iter(make_endless_loader(made, setting))
        workers, size = setting["num_workers"], made.batch_size
        begin = time.perf_counter()
        for _ in range(workers * (setting["prefetch_factor"] or 0) + 2):
            self.step(next(batches))
            if time.perf_counter() - begin > _PATIENCE * seconds + _LONGEST / 3:
                break
        done, begin = 0, time.perf_counter()
        rounds = [begin]
        while True:
            self.step(next(batches))
            done += 1
            now = time.perf_counter()
            if done % max(1, workers):
                continue
            rounds.append(now)
            spent = now - begin
            if spent > seconds and (done > 2 * workers or spent > _LONGEST):
                if spent < _STRETCH * seconds and _relative_error(rounds) > _KNOWN:
                    continue
                return float(done * size / spent)

    def _measure_epoch_rate(self, setting: LoaderArguments, seconds: float) -> float:
        """Whole epochs, after the first, the starts of their workers included."""
        made = self.make()
        loader = _make_loader(made, setting, shuffle=True, **_worker_arguments(made))
        for batch in loader:
            self.step(batch)
        done, begin = 0, time.perf_counter()
        while True:
            for batch in loader:
                self.step(batch)
            done += 1
            spent = time.perf_counter() - begin
            if spent > seconds and done > 1:
                return float(done * len(made.dataset) / spent)


def run_in_fork(work: Callable[[], Any]) -> Any:
    """Return the result of `work`, run in a forked process; None where that died."""
    back, out = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            warnings.simplefilter("ignore")
            os.write(out, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(out)
    with os.fdopen(back) as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None


def make_endless_loader(made: Any, setting: LoaderArguments) -> Any:
    """A loader of this setting that never comes to an end."""
    order = _sampler_arguments(made.dataset)
    return _make_loader(made, setting, **order, worker_init_fn=made.worker_init_fn)


def _make_loader(made: Any, setting: LoaderArguments, **more: Any) -> Any:
    from torch.utils.data import DataLoader

    workers = setting["num_workers"]
    if workers:
        more["prefetch_factor"] = setting["prefetch_factor"]
        more["persistent_workers"] = setting.get("persistent_workers", False)
    return DataLoader(
        made.dataset,
        batch_size=made.batch_size,
        num_workers=workers,
        collate_fn=made.collate_fn,
        in_order=setting["in_order"],
        **more,
    )


def _sampler_arguments(dataset: Any) -> dict[str, Any]:
    """Draw any sample without end; a stream keeps an order of its own."""
    from torch.utils.data import IterableDataset, RandomSampler

    if isinstance(dataset, IterableDataset):
        return {}
    return {"sampler": RandomSampler(dataset, replacement=True, num_samples=10**6)}


def _worker_arguments(made: Any) -> dict[str, Any]:
    return {
        "worker_init_fn": made.worker_init_fn,
        "multiprocessing_context": made.multiprocessing_context if made.num_workers else None,
    }


def _relative_error(stamps: list[float]) -> float:
    """Relative standard error of the mean time of a round, from blocks of rounds."""
    blocks = min(_BLOCKS, len(stamps) - 1)
    if blocks < _FEWEST:
        return float("inf")
    size = (len(stamps) - 1) // blocks
    times = [stamps[(k + 1) * size] - stamps[k * size] for k in range(blocks)]
    return float(statistics.stdev(times) / statistics.fmean(times) / blocks**0.5)


def _foreign_cpu_seconds() -> float:
    """Seconds for which CPUs worked, but not for this process and its children."""
    with open("/proc/stat", encoding="ascii") as file:  # noqa: PTH123
        user, nice, system, _, _, *interrupts = map(int, file.readline().split()[1:8])
    busy = (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
    times = os.times()
    return busy - sum(times[:4])


def windows_differ(rates: list[float]) -> bool:
    """Do windows of one setting differ?"""
    return max(rates) > (1 + APART) * min(rates)


def median_of_windows(rates: list[float]) -> float:
    """The median: of a setting that has two speeds, the one that it has more often."""
    return float(statistics.median(rates))


def loader_arguments(
    workers: int, prefetch: int = 2, *, in_order: bool = True, persistent: bool = False
) -> LoaderArguments:
    """The arguments of a DataLoader."""
    return {
        "num_workers": workers,
        "prefetch_factor": prefetch if workers else None,
        "in_order": in_order or not workers,
        "persistent_workers": bool(persistent and workers),
    }


def grid_settings(label: str) -> Iterator[LoaderArguments]:
    """Every setting that is measured for a workload with this cause."""
    yield loader_arguments(0)
    if label == "worker-startup":
        for workers in (1, 2, 4, 8):
            yield loader_arguments(workers)
            yield loader_arguments(workers, persistent=True)
        return
    for workers in (1, 2, 3, 4, 6, 8):
        for prefetch in (2, 4) if workers in (2, 4, 8) else (2,):
            yield loader_arguments(workers, prefetch)
            if label == "stragglers" and workers in (2, 4):
                yield loader_arguments(workers, prefetch, in_order=False)
