"""`--wait` and `--allow-busy`: before something is measured, until others leave the CPUs alone."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pipedoctor.cli.request.option_types import FiniteRange

_LOOK_SECONDS = 1.0
_CLOSEST = 0.1
"""Seconds of the last look: a shorter one says nothing."""

C = TypeVar("C", bound=Callable[..., Any])


def add_wait_options(function: C) -> C:
    """``--wait`` and ``--allow-busy``: what to do while other processes use the CPUs."""
    wait = click.option(
        "--wait",
        type=FiniteRange(min=0, max=10**6),
        default=0.0,
        metavar="SECONDS",
        help="Wait up to this long until no other process disturbs the measurement.",
    )
    busy = click.option(
        "--allow-busy",
        is_flag=True,
        help="Count measurements that other processes disturb, with the wider intervals they have.",
    )
    return wait(busy(function))


def wait_as_asked(context: click.Context) -> None:
    """Wait for as long as `--wait` of this command allows, then measure as it says."""
    from pipedoctor.bench.window import CpuMeter

    CpuMeter.tolerant = context.params["allow_busy"]
    wait_until_quiet(context.params["wait"])


def wait_until_quiet(seconds: float, *, sleep: Callable[[float], object] = time.sleep) -> str:
    """
    Wait until nobody disturbs for a second, or for so long; says on stderr for whom.

    Returns what still disturbs, or nothing.
    """
    if seconds <= 0:
        return ""
    from pipedoctor.bench.window import CpuMeter
    from pipedoctor.report.sentences import clean_text

    until, reported = time.monotonic() + seconds, ""
    meter = CpuMeter()
    while True:
        meter.start()
        sleep(max(_CLOSEST, min(_LOOK_SECONDS, until - time.monotonic())))
        window = meter.stop()
        busy = window.foreign_cores or 0.0
        if busy + window.stolen_cores <= _allow_share(window.cpus):
            return ""
        who = window.foreign_process or "other processes"
        if who != reported:
            click.echo(
                f"pipedoctor: waiting: {clean_text(who)} uses {busy:.1f} of {window.cpus:g} CPUs",
                err=True,
            )
            reported = who
        if time.monotonic() >= until:
            click.echo(f"pipedoctor: still busy after {seconds:g} s", err=True)
            return who


def _allow_share(cpus: float) -> float:
    """CPUs that others may use: what no window would be marked for."""
    from pipedoctor.facts.window import MAX_FOREIGN_SHARE

    return MAX_FOREIGN_SHARE * cpus
