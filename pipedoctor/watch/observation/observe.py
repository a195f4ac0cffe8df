"""From the tallies of a session to the facts of the rank that waits longest."""

from collections import Counter
from collections.abc import Sequence

from pipedoctor.collect.mounts import escape_path, find_mount
from pipedoctor.facts import (
    FetchShares,
    KernelWait,
    MainShares,
    Mount,
    Observation,
    Quantiles,
    WorkerShares,
)
from pipedoctor.watch.job.held_up_workers import compute_held_up_share
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.observation.foreign_load import estimate_foreign_load
from pipedoctor.watch.observation.rank_comparison import compare_with_others, pool_similar_ranks
from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.samples.called_names import (
    is_decoding_line,
    is_locking_line,
    is_model_line,
    is_plain_read_line,
)
from pipedoctor.watch.samples.hot_lines import find_hot_line
from pipedoctor.watch.samples.tally import CodeLine, SampleTally

_SLOW_ITEM_FACTOR = 4.0
"""Times the mean, from which on an item is slow."""
_MIN_READING = 0.25
"""Samples that wait in a read, for each that runs in one: else it is in the page cache."""
_MOSTLY, _MIN_OWN = 0.5, 0.05
_MIN_TURN = 0.1
"""Of a CPU, at least, for whoever is ready to run: what seems less is not known so well."""
_MIN_SAMPLES = 20
"""Samples of making batches, before their spread says anything."""


def observe_ranks(session: WatchSession) -> list[Observation]:
    """One for each rank, the one that waits longest first."""
    mains = session.list_mains()
    found = pool_similar_ranks([_observe_rank(session, main, len(mains)) for main in mains])
    found.sort(key=lambda one: (-round(one.data_wait, 6), one.worker.idle))  # of equals, the slow
    if len(found) == 1:
        return found
    return [compare_with_others(one, [o for o in found if o is not one]) for one in found]


def _observe_rank(session: WatchSession, main: WatchedProcess, ranks: int) -> Observation:
    workers = session.list_delivering(main)
    many = len(workers) or session.most_workers.get(main.member.pid, 0)
    if _makes_most_itself(main.tally):
        workers, many = [], 0  # those that there are belong to another loader
    made = session.sum_worker_tallies(main) if many else main.tally
    shares = compute_main_shares(main.tally, main.code_root)
    return Observation(
        seconds=session.seconds,
        samples=round(main.tally.samples),
        unseen=main.unknown.get("stacks", ""),
        pid=main.member.pid,
        rank=main.member.rank,
        ranks=ranks,
        world=main.member.world,
        workers=many,
        main=shares,
        worker=compute_worker_shares(made) if many else WorkerShares(),
        fetch=compute_fetch_shares(made, main.code_root),
        foreign_load=estimate_foreign_load(session, made),
        faults_per_second=made.faults / made.cpu if made.cpu else 0.0,
        huge_faults_per_second=min(made.faults, session.limits.huge_faults) / made.cpu
        if made.cpu
        else 0.0,
        other_threads=_compare_other_threads(made) if many else 0.0,
        other_cpu=_count_other_cpu(made) / max(made.seconds, 1e-6) if many else 0.0,
        packing_cpu=made.packing / max(made.seconds, 1e-6) if many else 0.0,
        bytes_per_call=made.read_bytes / made.fetch["reading"] if made.fetch["reading"] else None,
        object_share=main.tally.fetch["rebuilds"] / max(main.tally.phases["receiving"], 1.0),
        tail=compute_tail_share(session, main) if many else 0.0,
        gpu_busy=_average_gpu_use(session, main),
        throttled_share=session.limits.throttled_share,
        cpus=session.limits.cpus,
        hot=find_hot_line(made.lines, main.code_root) if shares.data_wait or many else None,
        step=find_hot_line(choose_step_lines(main.tally, shares, main.code_root), main.code_root),
        sampler=find_hot_line(main.tally.chosen, main.code_root),
        converter=find_hot_line(main.tally.converted, main.code_root),
        kernel=find_kernel_wait(made.calls, made.fetch["waiting"], session.mounts),
        batch_seconds=compute_quantiles([s for w in workers for s in w.list_batch_seconds()]),
    )


def _makes_most_itself(tally: SampleTally) -> bool:
    """Is a loader without workers what a main process spends most of its wait in?"""
    own = tally.compute_share("fetching", "collating")
    return own > max(_MIN_OWN, tally.compute_share("waiting", "receiving", "starting"))


def compute_main_shares(tally: SampleTally, root: str = "") -> MainShares:
    """Where the time of a main process went; `root`: where its code lies for us."""
    share = tally.compute_share
    own = sum(tally.ran.values())
    named = sum(number for place, number in tally.ran.items() if is_model_line(place, root))
    computing = share("computing")
    trains = computing * named / own if own else 0.0
    converting = share("converting")
    taken = sum(tally.converted.values())
    moves = sum(number for place, number in tally.converted.items() if is_model_line(place, root))
    moving = converting * moves / taken if taken else 0.0
    late = _compute_late_share(tally)
    runs = tally.fetch["taking"] / max(tally.phases["receiving"], 1e-6)
    woken = tally.fetch["woken"] / max(tally.phases["waiting"], 1e-6)
    return MainShares(
        waiting=share("waiting") + moving,
        waiting_delayed=share("waiting") * woken * late,
        receiving_delayed=share("receiving") * runs * late,
        receiving=share("receiving"),
        fetching=share("fetching", "collating"),
        starting=share("starting"),
        sampling=share("sampling"),
        converting=converting - moving,
        starts=round(tally.fetch["starts"]),
        computing=computing - trains,
        model=share("model") + trains,
        blocked=share("blocked"),
        queued=tally.fetch["queued"] / max(sum(tally.phases.values()), 1.0),
        delayed=min(1.0, tally.delay / tally.seconds) if tally.seconds else 0.0,
        ran=min(1.0, tally.main_cpu / tally.seconds) if tally.main_cpu else None,
    )


def choose_step_lines(tally: SampleTally, shares: MainShares, root: str) -> Counter[CodeLine]:
    """Where a step computes, if that is most of the time; else where it stands."""
    if shares.computing <= _MOSTLY:
        return tally.steps
    own = {p: n for p, n in tally.ran.items() if not is_model_line(p, root)}
    return Counter(own) or tally.steps


def compute_worker_shares(tally: SampleTally) -> WorkerShares:
    """Where the time of workers went."""
    share = tally.compute_share
    return WorkerShares(
        idle=share("idle"),
        fetching=share("fetching"),
        collating=share("collating"),
        sending=share("sending"),
        starting=share("starting"),
        held_up=compute_held_up_share(tally),
    )


def compute_fetch_shares(tally: SampleTally, root: str = "") -> FetchShares:
    """
    What making a batch consisted of; lines that name what they call count too.

    `root`: where the code of the job lies for us.
    """
    reading = _count_plain_reads(tally, root)
    running, waiting = tally.fetch["running"] - reading, tally.fetch["waiting"] + reading
    whole = running + waiting
    if not whole:
        return FetchShares()
    late = running / whole * _compute_late_share(tally)
    named = -reading + sum(n for place, n in tally.kinds.items() if is_decoding_line(place, root))
    spent = tally.user + tally.system
    others = _count_delegated(tally)
    decoding: float = tally.fetch["decoding"] + named
    decoding += sum(n for p, n in others.items() if is_decoding_line(p, root))
    helped = sum(others.values())
    locked = tally.fetch["locked"]
    locked += sum(n for place, n in tally.slept.items() if is_locking_line(place, root))
    computing, left = running + helped, waiting - helped
    return FetchShares(
        running=computing / whole - late,
        delayed=late,
        waiting=left / whole,
        locked=locked / whole,
        decoding=min(1.0, max(0.0, decoding / computing)) if computing > 0 else 0.0,
        system=tally.system / spent * running / computing if spent and computing else 0.0,
        samples=round(whole),
    )


def _count_plain_reads(tally: SampleTally, root: str) -> float:
    """
    Running samples within reads that also wait for the storage.

    The kernel takes its time for each of many small ones: that is not computing.
    """
    plain = sum(n for place, n in tally.kinds.items() if is_plain_read_line(place, root))
    return plain if tally.fetch["reading"] >= _MIN_READING * plain else 0.0


def _compute_late_share(tally: SampleTally) -> float:
    """Of the time in which its main thread was ready to run: how much of it others ran."""
    ready = tally.main_cpu + tally.delay
    return tally.delay / ready if ready else 0.0


def _count_delegated(tally: SampleTally) -> dict[CodeLine, float]:
    """
    Samples that waited for threads or programs of their own while these computed.

    They are as good as running: more of them at the same time need more processors.
    """
    waited = sum(tally.delegated.values())
    made = sum(tally.phases[p] for p in ("fetching", "collating"))
    seconds = tally.seconds * made / max(sum(tally.phases.values()), 1.0) * waited / max(made, 1.0)
    if not seconds:
        return {}
    others = _count_other_cpu(tally) + tally.children
    others /= max(_MIN_TURN, 1.0 - _compute_late_share(tally))  # they wait for a CPU as it does
    busy = min(1.0, others / seconds)
    return {place: number * busy for place, number in tally.delegated.items()}


def find_kernel_wait(
    calls: Counter[tuple[str, str]], waiting: float, mounts: Sequence[Mount]
) -> KernelWait | None:
    """The system call that most waiting samples stood in, on which mount."""
    whole = max(sum(calls.values()), waiting)
    if not whole or not calls:
        return None
    places: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for (name, target), number in calls.items():
        mount = find_mount(target, mounts) if target.startswith("/") else None
        key = (name, mount.point if mount else target.partition(":")[0])
        places[key] += number
        examples.setdefault(key, target)
    (name, _), number = max(places.items(), key=lambda pair: (pair[1], pair[0]))
    target = examples[name, _]
    mount = find_mount(target, mounts) if target.startswith("/") else None
    return KernelWait(
        call=name,
        path=escape_path(target),
        mount=mount.point if mount else "",
        fstype=mount.fstype if mount else "",
        device=mount.source if mount else "",
        share=min(1.0, number / whole),
    )


def _compare_other_threads(tally: SampleTally) -> float:
    """CPU of other threads, against that of the main one, unless it waits for them."""
    if sum(_count_delegated(tally).values()) > tally.fetch["running"]:
        return 0.0
    return _count_other_cpu(tally) / max(tally.main_cpu, 1e-6)


def _count_other_cpu(tally: SampleTally) -> float:
    """CPU seconds of threads that neither fetch nor pack."""
    return max(0.0, tally.cpu - tally.main_cpu - tally.packing)


def estimate_item_seconds(session: WatchSession, main: WatchedProcess) -> float | None:
    """
    Mean seconds that a worker takes for an item, or for a batch of unknown size.

    Without those in which it was ready and had no CPU.
    """
    each = session.progress.compute_batch_seconds(main.member.pid)
    many = len(session.list_delivering(main)) or session.most_workers.get(main.member.pid, 0)
    made = session.sum_worker_tallies(main)
    share = made.compute_share("fetching", "collating")
    if not each or not share:
        return None
    own = 1.0 - compute_fetch_shares(made).delayed
    return own * share * many * each / (session.find_batch_length(main) or 1)


def compute_tail_share(session: WatchSession, main: WatchedProcess) -> float:
    """Share of the samples that fell on items of several times the mean."""
    mean, looks = estimate_item_seconds(session, main), session.list_item_times(main)
    whole = sum(number for _, number in looks)
    if mean is None or whole < _MIN_SAMPLES:
        return 0.0
    slow = _SLOW_ITEM_FACTOR * mean
    return sum(number for seconds, number in looks if seconds >= slow) / whole


def compute_quantiles(values: Sequence[float]) -> Quantiles | None:
    """The middle, and what 5 and 1 of 100 exceed; None of no values."""
    if not values:
        return None
    rows = sorted(values)
    last = len(rows) - 1
    p50, p95, p99 = (rows[round(last * share)] for share in (0.5, 0.95, 0.99))
    return Quantiles(p50=p50, p95=p95, p99=p99, number=len(rows))


def _average_gpu_use(session: WatchSession, main: WatchedProcess) -> float | None:
    """Of the GPUs that this rank uses, else of all that the job may use."""
    devices = session.gpus.list_devices()
    own = [d for d in devices if main.member.pid in d.pids]
    known = [d.busy for d in own or devices if d.busy is not None]
    return sum(known) / len(known) if known else None
