"""The view with keys: it sorts, opens a process, and ends in the report."""

import asyncio
import os
import pty
import select
import subprocess
import sys
import time
from typing import Any

import pytest

from pipedoctor.cli.actions import watch_app
from pipedoctor.cli.actions.watch_app import (
    ViewClosedError,
    ViewState,
    describe_process,
    sort_processes,
)
from pipedoctor.facts import Facts, HotLine, KernelWait, LiveJob, LiveProcess, Quantiles
from tests.watch.process_family import family

HOT = HotLine(path="train.py", line=9, function="get", share=0.9)
READS = KernelWait(call="pread64", path="/d/x", fstype="nfs4", share=0.8)
MAIN = LiveProcess(pid=10, role="main", cpu=0.2)
BUSY = LiveProcess(
    pid=12,
    role="worker",
    state="D",
    seconds=7.0,
    cpu=0.9,
    batches=2.0,
    hot=HOT,
    kernel=READS,
    batch_seconds=Quantiles(p50=0.1, p95=0.2, p99=0.4, number=9),
    unknown={"io": "it belongs to another user"},
)
IDLE = LiveProcess(pid=11, role="worker", cpu=0.1, run_queue=0.5, batches=4.0)
ROWS = (MAIN, BUSY, IDLE)


@pytest.mark.parametrize(
    ("order", "pids"),
    [
        ("cpu", [12, 10, 11]),
        ("batches", [11, 12, 10]),
        ("run queue", [11, 10, 12]),
        ("pid", [10, 11, 12]),
        ("memory", [10, 12, 11]),
    ],
)
def test_the_most_comes_first(order: str, pids: list[int]) -> None:
    assert [process.pid for process in sort_processes(ROWS, order)] == pids


def test_a_process_that_is_open() -> None:
    assert describe_process(BUSY).splitlines() == [
        "worker 12, D, watched 7 s",
        "line: train.py:9 in get (90%)",
        "kernel: pread64 /d/x nfs4 (80%)",
        "batches: 0.100 s, p95 0.200 s, p99 0.400 s",
        "unknown: io: it belongs to another user",
    ]


def test_what_watches_ends_with_the_view() -> None:
    state = ViewState()
    state.sleep(0.001)
    state.closing.set()

    with pytest.raises(ViewClosedError):
        state.sleep(60)


@pytest.mark.extended
def test_keys_sort_and_open() -> None:
    pytest.importorskip("textual")
    state = ViewState()
    state.show(Facts(LiveJob(pid=10, seconds=7.0, processes=ROWS)))

    async def press() -> list[Any]:
        app = watch_app.build_app(state)
        async with app.run_test() as pilot:
            await pilot.pause(3 * watch_app._POLL_SECONDS)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            table = app.query_one("DataTable")
            first = table.get_row_at(0)
            await pilot.press("b")
            await pilot.press("down", "enter")
            second, detail = table.get_row_at(1), str(app.query_one("#detail").content)
            await pilot.press("escape")
            return [first, second, detail, str(app.query_one("#detail").content)]

    first, second, detail, closed = asyncio.run(press())
    assert first[:5] == ["12", "worker", "D", "90%", "?"]
    assert second[0] == "12"
    assert "line: train.py:9 in get (90%)" in detail
    assert closed == ""


@pytest.mark.extended
@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_the_report_follows_the_view() -> None:
    pytest.importorskip("textual")
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    with family(1) as (pid, _):
        terminal, inner = pty.openpty()
        watch = subprocess.Popen(
            [sys.executable, "-m", "pipedoctor", "watch", str(pid)],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env=environment | {"TERM": "xterm-256color"},
        )
        os.close(inner)
        written, end = b"", time.monotonic() + 60
        asked = False
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                try:
                    written += os.read(terminal, 1 << 16)
                except OSError:
                    break
            if b"worker" in written and not asked:
                asked = bool(os.write(terminal, b"q"))
        watch.wait(10)
        os.close(terminal)

    assert asked
    assert b"bottleneck-" in written
    assert b"Traceback" not in written
