"""What watching costs: 64 workers within the budget, and memory that stays flat."""

import sys
import time
from types import SimpleNamespace

import msgspec
import pytest

from pipedoctor.watch.job import cpu_budget
from pipedoctor.watch.job import session as watch_session
from pipedoctor.watch.job.session import WatchSession
from tests.watch.process_family import family

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Linux only"),
]


def test_64_workers_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_budget, "INITIAL_SECONDS", 1.0)
    with family(64) as (pid, _):
        session = WatchSession(pid)
        assert len(session.pids_by_role["worker"]) == 64
        session.run(1.5)
        before = time.thread_time()
        session.run(4.0)
        spent = (time.thread_time() - before) / 2.5
        looked_at = [p for p in session.processes.values() if p.tally.samples]
        session.close()

    assert spent <= 0.006
    assert len(looked_at) > 5


@pytest.mark.extended
def test_memory_stays_flat_for_two_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hours on a clock of its own: what is kept of looks is bounded."""
    clock = SimpleNamespace(now=1000.0)

    def sleep(seconds: float) -> None:
        clock.now += max(seconds, 1e-3)

    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(watch_session, "STEADY_RATE", 2.0)
    sizes: list[int] = []
    with family(2) as (pid, _):
        session = WatchSession(pid, clock=lambda: clock.now, sleep=sleep)
        session.run(600.0)
        for hour in (1, 2):
            session.run(3600.0 * hour)
            session.decay_tallies(3600.0)
            sizes.append(len(encode_state(session)))
        session.close()

    assert sizes[1] <= 1.1 * sizes[0]


def encode_state(session: WatchSession) -> bytes:
    """Everything that a session remembers, as bytes."""
    parts: list[object] = [session.progress.batches, session.unknown, len(session.ended)]
    for process in session.processes.values():
        parts += [
            msgspec.structs.asdict(process.tally),
            list(process.items),
            vars(process.batch_times),
        ]
        parts.append([vars(process)["_callers"], process.list_batch_seconds()])
    for held in session.resources.values():
        parts += [held.descriptors.__dict__, held.threads.__dict__, held.anonymous.__dict__]
    return repr(parts).encode()
