"""The live view on a terminal: readable in 80 columns and without color."""

import contextlib
import os
from collections.abc import Callable, Generator, Sequence
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from pipedoctor.facts import Facts
from pipedoctor.report.sentences import clean_text
from pipedoctor.units import format_size
from pipedoctor.watch.output.sample_line import build_sample
from pipedoctor.watch.output.text_line import format_headline, format_text_line

_MAX_PROCESSES = 12
"""Processes that are shown: those with the most CPU."""


@contextlib.contextmanager
def live_view(*, no_color: bool) -> Generator[Any, None, None]:
    """Show each interval in place of the one before."""
    console = _open_console(no_color=no_color)
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(facts: Facts | dict[str, Any]) -> None:
            line = facts if isinstance(facts, dict) else build_sample(facts)
            live.update(build_page(line, console.width), refresh=True)

        yield show


@contextlib.contextmanager
def live_lines(*, no_color: bool) -> Generator[Callable[[Sequence[str]], None], None, None]:
    """Show a line for each job in place of the one before; the last ones stay."""
    with Live(console=_open_console(no_color=no_color), auto_refresh=False) as live:
        yield lambda rows: live.update(Text("\n".join(rows)), refresh=True)


def _open_console(*, no_color: bool) -> Console:
    plain = no_color or bool(os.environ.get("NO_COLOR"))
    return Console(no_color=plain, highlight=False)


def format_head(line: dict[str, Any], width: int) -> list[str]:
    """What stands above the processes: the interval, the verdict, what the kernel says."""
    lines = [format_text_line(line, width)]
    if head := format_headline(line):
        lines.append(head)
    kernel = line.get("kernel")
    if kernel:
        where = f"{kernel['call']} {kernel['path']} {kernel['fstype']}".strip()
        lines.append(clean_text(f"kernel: {where} ({kernel['share']:.0%})"))
    ranks = line.get("ranks", {})
    if len(ranks) > 1:
        waits = ", ".join(f"{rank}: {share:.0%}" for rank, share in ranks.items())
        lines.append(f"ranks by their wait for data: {waits}")
    return lines


def build_page(line: dict[str, Any], width: int) -> Group:
    """One screen: the verdict, the shares of the time, the processes."""
    headline = format_headline(line)
    parts: list[Any] = [
        Text(text, style="bold" if text == headline else "") for text in format_head(line, width)
    ]
    parts.append(_build_table(line))
    for name, reason in list(line.get("unknown", {}).items())[:3]:
        parts.append(Text(clean_text(f"unknown: {name}: {reason}"), style="dim"))
    return Group(*parts)


def _build_table(line: dict[str, Any]) -> Table:
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    has_ranks = any("rank" in row for row in line.get("processes", ()))
    for name in (
        "PID",
        *(("rank",) if has_ranks else ()),
        "role",
        "state",
        "CPU",
        "queue",
        "batches/s",
        "fds",
        "memory",
    ):
        table.add_column(name, justify="left" if name == "role" else "right")
    rows = sorted(line.get("processes", ()), key=lambda p: (p["role"] != "main", -p.get("cpu", 0)))
    for row in rows[:_MAX_PROCESSES]:
        memory = row.get("memory_bytes")
        table.add_row(
            str(row["pid"]),
            *((str(row.get("rank", "")),) if has_ranks else ()),
            Text(row["role"]),
            Text(row["state"]),
            f"{row['cpu']:.0%}" if "cpu" in row else "?",
            f"{row['run_queue']:.0%}" if "run_queue" in row else "?",
            f"{row['batches']:.1f}" if row["role"] == "worker" and "batches" in row else "",
            str(row.get("descriptors", "?")),
            format_size(memory) if memory is not None else "?",
        )
    return table
