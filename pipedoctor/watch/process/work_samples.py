"""What a sample of a process that makes a batch counts as: computing, or waiting for what."""

from typing import NamedTuple

from pipedoctor.runtime.system_calls import LOCK_CALLS, READ_CALLS, SLEEP_CALLS
from pipedoctor.watch.process.call_targets import count_requested_bytes, find_call_target
from pipedoctor.watch.samples.tally import CodeLine, SampleTally
from pipedoctor.watch.stacks.remote_memory import RemoteMemory
from pipedoctor.watch.stacks.stack_phases import ProcessPhase, StackSample
from pipedoctor.watch.system.process_counters import BlockingCall, ProcessCounters

WORKING_PHASES = frozenset((ProcessPhase.FETCHING, ProcessPhase.COLLATING))
_CHILD_CALLS = frozenset(("wait4", "waitid", "vfork"))


class SampleSource(NamedTuple):
    """Where a sample comes from, to look closer."""

    counters: ProcessCounters
    memory: RemoteMemory | None


def count_work(
    tally: SampleTally,
    sample: StackSample,
    place: CodeLine | None,
    blocking_call: BlockingCall | None,
    source: SampleSource,
    *,
    running: bool,
) -> None:
    """A batch is being made: by computing, or by waiting, and for what."""
    if place is not None:
        tally.lines[place] += 1
    if running:
        tally.fetch["running"] += 1
        if sample.decodes:
            tally.fetch["decoding"] += 1
        elif sample.decodes is None and place is not None:
            tally.kinds[place] += 1
        return
    tally.fetch["waiting"] += 1
    if blocking_call is None:
        return
    name, target = blocking_call.call.name, find_call_target(blocking_call, *source)
    tally.calls[name, target] += 1
    if sample.delegates or name in _CHILD_CALLS:
        tally.fetch["delegated"] += 1
        if place is not None:
            tally.delegated[place] += 1
    else:
        _count_lock(tally, sample, place, name)
    if name in READ_CALLS and target.startswith("/"):
        size = count_requested_bytes(blocking_call, source.memory)
        if size is not None:
            tally.fetch["reading"] += 1
            tally.read_bytes += size


def _count_lock(tally: SampleTally, sample: StackSample, place: CodeLine | None, call: str) -> None:
    """Does it wait for a lock? Some libraries ask for theirs again and again, and sleep between."""
    sleeps = call in SLEEP_CALLS
    if call in LOCK_CALLS or (sleeps and sample.locks):
        tally.fetch["locked"] += 1
    elif sleeps and place is not None:
        tally.slept[place] += 1
