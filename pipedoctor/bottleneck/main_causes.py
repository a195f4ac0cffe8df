"""What the training process itself spends its time on, where it waits for no worker."""

from collections.abc import Iterator

from pipedoctor.bottleneck.classify import MAX_WAIT_SHARE
from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.bottleneck.observed_figures import describe_wait
from pipedoctor.facts import Observation
from pipedoctor.units import format_count

MOSTLY = 0.5
"""Share of its own time."""
BUSY = 0.7
"""Share of the time in which a GPU has something to do, where it is well used."""
BORDER = 0.05


def explain_time(observation: Observation) -> Bottleneck:
    """Data is there when it is needed, as far as a loader was seen: what takes the time then?"""
    if not observation.workers and observation.main.queued >= MAX_WAIT_SHARE:
        return _describe_queue(observation)
    return _blame_consumer(observation)


def find_main_causes(observation: Observation) -> Iterator[Bottleneck]:
    """Why data is late although workers are not slow."""
    yield from _check_startup(observation)
    yield from _check_feeders(observation)


def _describe_queue(observation: Observation) -> Bottleneck:
    queued = observation.main.queued
    return Bottleneck(
        name="unknown",
        reason=f"no loader was seen; the training process waits {queued:.0%} of the time for"
        " a thread or process of its own, which may make its batches",
        evidence={"queued_share": queued},
    )


def _blame_consumer(observation: Observation) -> Bottleneck:
    main = observation.main
    idle = observation.gpu_busy is None or observation.gpu_busy < BUSY
    evidence = {"computing_share": main.computing, "blocked_share": main.blocked}
    wait = _describe_wait_in_time(observation)
    crowded = observation.foreign_share > BORDER
    if main.computing > MOSTLY * (1 - observation.foreign_share) and idle:
        why = "the training process itself computes"
        why = f"{why} {main.computing:.0%} of the time outside the model"
        why = f"{wait if crowded else 'batches are ready'}; {why}"
        return Bottleneck(name="main-thread", reason=why, evidence=evidence)
    late = crowded and observation.data_wait >= MAX_WAIT_SHARE
    why = (
        f"{'data would be in time on CPUs of its own' if late else 'the pipeline is fine'}: {wait}"
    )
    if observation.gpu_busy is not None and idle:
        why += f"; the GPU is busy {observation.gpu_busy:.0%} of it although batches are ready"
    if observation.world is not None and observation.ranks < observation.world:
        seen = f"{observation.ranks} of {observation.world} ranks"
        why += f"; {seen} were watched, and may wait for others"
    return Bottleneck(name="consumer", reason=why, evidence=evidence)


def _describe_wait_in_time(observation: Observation) -> str:
    """How long it waits, and for what, where that is not for data that is late."""
    wait, foreign = describe_wait(observation), observation.foreign_share
    if foreign > BORDER:
        wait += f", {foreign:.0%} because other programs have the CPUs"
    taking = observation.data_wait - observation.late_share - foreign
    if observation.data_wait >= MAX_WAIT_SHARE and taking > BORDER:
        wait += f", {taking:.0%} while it takes in batches that are ready"
    return wait


def _check_startup(observation: Observation) -> Iterator[Bottleneck]:
    main = observation.main
    often = main.starts > 1 or main.starting > MOSTLY
    if main.starting > MOSTLY * main.data_wait and often:
        yield Bottleneck(
            name="worker-startup",
            reason=f"{describe_wait(observation)}, {main.starting:.0%} until new workers deliver:"
            f" they were started {format_count(main.starts, 'time')}"
            f" in {observation.seconds:.0f} s",
            evidence={"startup_share": main.starting, "starts": float(main.starts)},
        )


def _check_feeders(observation: Observation) -> Iterator[Bottleneck]:
    """The sampler, and a thread that converts batches: both run in the training process."""
    main = observation.main
    for name, share, until in (
        (
            "sampling_share",
            main.sampling,
            "the sampler has chosen what comes next: it runs in the training process",
        ),
        (
            "converting_share",
            main.converting,
            "a thread of the training process has converted the batch that it took from the loader",
        ),
    ):
        if share > MOSTLY * observation.late_share:
            yield Bottleneck(
                name="main-thread",
                reason=f"{describe_wait(observation)}, {share:.0%} until {until}",
                evidence={name: share},
            )
