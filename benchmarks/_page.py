"""What every page of docs/benchmarks has: day and machine, a table, goals."""

import datetime as dt
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

PAGES = Path(__file__).parents[1] / "docs" / "benchmarks"


def describe_run(*more: str, by: str = "sh dev.sh bench") -> str:
    """When and on which machine the page was made."""
    today = dt.datetime.now(tz=dt.timezone.utc).date()
    machine = ", ".join(
        (
            f"{os.cpu_count()} CPUs ({platform.machine()})",
            platform.system(),
            f"{platform.python_implementation()} {platform.python_version()}",
            f"load {os.getloadavg()[2]:.1f}",
            *more,
        )
    )
    return f"Written by `{by}` on {today}: {machine}."


def format_table(head: Sequence[str], rows: Iterable[str]) -> str:
    """Rows under their columns' names; the first column is words."""
    return "\n".join((f"| {' | '.join(head)} |", "|---" * len(head) + "|", *rows))


def format_goals(results: Mapping[str, bool]) -> str:
    """Which goals are met."""
    return "\n".join(f"- {name}: {'met' if met else '**missed**'}" for name, met in results.items())


def write_page(name: str, title: str, *parts: str) -> None:
    """Put the page in its place, and show it."""
    text = "\n\n".join((f"# {title}", *(part for part in parts if part))) + "\n"
    PAGES.mkdir(parents=True, exist_ok=True)
    (PAGES / name).write_text(text, "utf-8")
    print(text)
