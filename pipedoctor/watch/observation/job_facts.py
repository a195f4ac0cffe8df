"""The facts of a job that was watched: its processes, and its pipeline as it runs."""

from collections.abc import Sequence

from pipedoctor.bottleneck.classify_observed import classify_observed
from pipedoctor.bottleneck.observed_figures import is_outside_workers
from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import (
    Contents,
    Costs,
    Facts,
    LiveJob,
    LiveProcess,
    Mount,
    Observation,
    Pipeline,
    Setting,
    Trial,
    Window,
)
from pipedoctor.watch.job.ended_processes import EndedProcess
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.observation.foreign_load import sum_busy_cpus
from pipedoctor.watch.observation.observe import (
    compute_quantiles,
    find_kernel_wait,
    observe_ranks,
)
from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.process.work_samples import WORKING_PHASES
from pipedoctor.watch.samples.hot_lines import find_hot_line
from pipedoctor.watch.samples.tally import SampleTally, sum_tallies

_DEFAULT_PREFETCH = 2
"""What torch takes where nobody says; how long the queues are is not seen."""
_EPSILON = 1e-6
_NOMINAL_BATCH_SECONDS = 0.1
"""Seconds of a batch where nobody counts them: shares of the time are what counts."""
_MIN_FAULTS = 1000.0
_SHUTDOWN_SECONDS = 2.0


def collect_facts(session: WatchSession, *, last: bool = False) -> Facts:
    """Everything that is known of the job by now; the `last` time with a forecast."""
    if last:
        session.read_all_resources()
    seen = observe_ranks(session)
    known = [describe_job(session, seen)]
    if not seen:
        reason = "no training process was seen"
        return Facts(*known, unknown={Pipeline.section: reason})
    pipeline = describe_pipeline(session, seen[0])
    if last and not is_outside_workers(classify_observed(seen[0])):
        from pipedoctor.watch.observation.forecast import forecast_best  # noqa: PLC0415  (few jobs are slow)

        pipeline = forecast_best(pipeline, _count_spare_workers(session))
    return Facts(*known, pipeline)


def describe_pipeline(session: WatchSession, observation: Observation) -> Pipeline:
    """The pipeline as it runs: its costs go to the same model as measured ones."""
    start = Setting(
        num_workers=observation.workers,
        prefetch_factor=_DEFAULT_PREFETCH if observation.workers else None,
        batch_size=_find_batch_size(session),
        persistent_workers=observation.workers > 0 and observation.main.starts <= 1,
    )
    trials = _describe_trials(session, observation, start)
    return Pipeline(
        target=f"PID {session.pid}",
        start=start,
        contents=Contents(bytes=0, shared_bytes=0, objects=1),
        cpus=observation.cpus,
        cpus_bound="cgroup quota" if session.limits.has_quota else "affinity",
        trials=trials,
        fault_seconds=_estimate_fault_seconds(session),
        observed=observation,
    )


def _estimate_fault_seconds(session: WatchSession) -> float:
    """What a page fault costs at most, by the time that workers are in the kernel."""
    mains = session.list_mains()
    made = sum_tallies([session.sum_worker_tallies(main) for main in mains])
    return made.system / made.faults if made.faults > _MIN_FAULTS else 0.0


def _count_spare_workers(session: WatchSession) -> int | None:
    """How many workers more the memory that is left has room for."""
    left = session.limits.memory_left
    sizes = [
        held.anonymous.last
        for pid, held in session.resources.items()
        if session.processes[pid].member.role == "worker" and held.anonymous.last
    ]
    if left is None or not sizes:
        return None
    return int(left * 0.8 / max(sizes))


def _find_batch_size(session: WatchSession) -> int | None:
    lengths = (session.find_batch_length(main) for main in session.list_mains())
    return next((length for length in lengths if length), None)


def _describe_trials(
    session: WatchSession, observation: Observation, start: Setting
) -> tuple[Trial, ...]:
    """What a batch costs, by the number of batches and the shares of the time."""
    mains = session.list_mains()
    main = next((p for p in mains if p.member.rank == observation.rank), None)
    if main is None or not observation.data_wait:
        return ()
    known = session.progress.compute_batch_seconds(main.member.pid)
    each = known or _NOMINAL_BATCH_SECONDS
    size = start.batch_size or 1
    made = session.sum_worker_tallies(main) if observation.workers else main.tally
    batches = session.progress.batches.get(main.member.pid, 0.0)
    return (
        Trial(
            setting=start,
            samples_per_second=size / each,
            batch_seconds=each,
            spread=0.1,
            batches=round(batches) if known else 0,
            wait_seconds=observation.data_wait * each,
            step_seconds=(1 - observation.data_wait) * each,
            step_cpu=(observation.main.computing + observation.main.model) * each,
            costs=_estimate_costs(observation, made, each),
            window=Window(
                seconds=session.seconds,
                cpus=observation.cpus,
                own=min(observation.cpus, sum_busy_cpus(session)) * session.seconds,
            ),
        ),
    )


def _estimate_costs(observation: Observation, tally: SampleTally, each: float) -> Costs:
    """Of one batch, in one process; `each` is the time between two batches."""
    worker = observation.worker
    making = (
        worker.fetching + worker.collating if observation.workers else observation.main.fetching
    )
    collating = worker.collating / max(making, _EPSILON) if observation.workers else 0.0
    wall = each * making * max(1, observation.workers)
    cpu, faults = wall * observation.fetch.running, tally.faults / max(tally.cpu, _EPSILON)
    others = cpu * observation.other_threads
    packing = each * observation.workers * observation.packing_cpu
    receive = observation.main.receiving * each
    return Costs(
        fetch_wall=wall * (1 - collating),
        fetch_cpu=cpu * (1 - collating),
        fetch_process=(cpu + others) * (1 - collating),
        fetch_delay=wall * observation.fetch.delayed * (1 - collating),
        fetch_faults=faults * cpu * (1 - collating),
        collate_wall=wall * collating,
        collate_cpu=cpu * collating,
        send_cpu=packing,
        process=cpu + others + packing,
        receive_wall=receive,
        receive_cpu=receive,
    )


def describe_job(session: WatchSession, observations: Sequence[Observation]) -> LiveJob:
    """The processes of the job, its GPUs, and what they share."""
    mounted = session.mounts
    processes = [describe_process(session, p, mounted) for p in session.processes.values()]
    processes += [
        describe_ended_process(end) for end in session.ended if _is_unexpected_end(session, end)
    ]
    around = session.limits
    shm = [h.shared.compute_trend() for h in session.resources.values()]
    gpus = session.gpus.list_devices()
    unknown = dict(session.unknown) | around.unknown | _list_unreadable_signals(session)
    if session.gpus.unknown:
        unknown["gpu"] = session.gpus.unknown
    return LiveJob(
        pid=session.pid,
        command=escape_path(session.command),
        seconds=session.seconds,
        python=_find_python_version(session),
        processes=tuple(processes),
        gpus=gpus,
        shm=around.shm.compute_trend(),
        shm_own=max((t for t in shm if t), key=lambda t: t.last, default=None),
        memory_left=around.memory_left,
        throttled_share=around.throttled_share,
        pressure=dict(around.pressure),
        waits={_name_rank(o): round(o.data_wait, 4) for o in observations if o.samples},
        timeline=session.timeline.points,
        sampler_cpu=session.own_cpu,
        unknown=unknown,
    )


def _name_rank(observation: Observation) -> str:
    if observation.rank is None and observation.ranks > 1:
        return f"PID {observation.pid}"
    return str(observation.rank or 0)


def describe_process(
    session: WatchSession, process: WatchedProcess, mounts: Sequence[Mount]
) -> LiveProcess:
    """One process as it is."""
    member, tally = process.member, process.tally
    held = session.resources.get(member.pid)
    seconds = max(tally.seconds, _EPSILON)
    known = tally.seconds > 0
    return LiveProcess(
        pid=member.pid,
        role="worker" if member.role == "worker" else "main",
        rank=member.rank,
        main_pid=member.main,
        state=process.state,
        seconds=process.sampled_at - process.began,
        cpu=tally.cpu / seconds if known else None,
        main_thread_cpu=tally.main_cpu / seconds if known else None,
        run_queue=tally.delay / seconds if known else None,
        unchanged_seconds=max(0.0, process.sampled_at - process.changed_at),
        runs=process.state == "R",
        working=process.phase in WORKING_PHASES,
        batches=tally.batches / seconds if known else None,
        batch_seconds=compute_quantiles(process.list_batch_seconds()),
        hot=find_hot_line(tally.lines or tally.steps),
        kernel=find_kernel_wait(tally.calls, 0.0, mounts),
        descriptors=held.descriptors.compute_trend() if held else None,
        threads=held.threads.compute_trend() if held else None,
        anonymous=held.anonymous.compute_trend() if held else None,
        private=held.private.compute_trend() if held else None,
        affinity=held.affinity if held else (),
        unknown=process.unknown | process.counters.unknown | (held.unknown if held else {}),
    )


def describe_ended_process(end: EndedProcess) -> LiveProcess:
    """A process that is no more."""
    member = end.process.member
    return LiveProcess(
        pid=member.pid,
        role="worker" if member.role == "worker" else "main",
        rank=member.rank,
        main_pid=member.main,
        state=end.state,
        ended=True,
        exit_status=end.status if end.has_crashed else None,
        seconds=end.when - end.process.began,
        working=end.process.phase in WORKING_PHASES,
        hot=find_hot_line(end.process.tally.lines),
    )


def _is_unexpected_end(session: WatchSession, end: EndedProcess) -> bool:
    """Did a worker end by itself: alone, while the main process went on waiting?"""
    member = end.process.member
    if member.role != "worker":
        return False
    if end.has_crashed:
        return not _has_crashed_with_all(session, end)
    if member.main not in session.processes:
        return False
    together = [
        e
        for e in session.ended
        if e is not end
        and e.process.member.main == member.main
        and abs(e.when - end.when) < _SHUTDOWN_SECONDS
    ]
    left = [p for p in session.processes.values() if p.member.main == member.main]
    others = [p for p in left if p.member.role == "worker"]
    replaced = any(p.began > end.process.began + 1 for p in others)
    recent = session.clock() - end.when < _SHUTDOWN_SECONDS  # others may be about to end
    if together or replaced or recent:
        return False
    return bool(others) or session.is_zombie(end)


def _has_crashed_with_all(session: WatchSession, end: EndedProcess) -> bool:
    """Was the main process ended by the same signal, as by who stops the whole job?"""
    main = end.process.member.main
    return any(e.process.member.pid == main and e.status == end.status for e in session.ended)


def _list_unreadable_signals(session: WatchSession) -> dict[str, str]:
    """Signals that no process let us read, with the first reason."""
    unknown: dict[str, str] = {}
    for process in session.processes.values():
        for name, why in (process.unknown | process.counters.unknown).items():
            unknown.setdefault(name, why)
    return unknown


def _find_python_version(session: WatchSession) -> str:
    for process in (*session.processes.values(), *session.ended_mains.values()):
        if process.reader is not None:
            return ".".join(map(str, process.reader.version))
    return ""
