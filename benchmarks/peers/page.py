"""What was measured, as a page of Markdown; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

COUNTED = ("**yes**",)


@dataclass(frozen=True)
class CommandTiming:
    """Runs of one command on the clean machine."""

    name: str
    walls: Sequence[float]
    peaks: Sequence[int]
    code: int | None

    @property
    def median_wall(self) -> float:
        """Seconds, in the middle."""
        return median(self.walls)


@dataclass(frozen=True)
class PeerRow:
    """One fault or one feature, and what each tool made of it."""

    title: str
    cells: Mapping[str, str]
    real: str = ""
    remark: str = ""


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of Markdown."""
    lines = (head, ["---"] * len(head), *rows)
    return [f"| {' | '.join(line)} |" for line in lines]


def timing_table(measured: Sequence[CommandTiming]) -> list[str]:
    """Fastest first."""
    rows = [
        (
            f"`{one.name}`",
            f"{one.median_wall:.2f}",
            f"{min(one.walls):.2f} to {max(one.walls):.2f}",
            f"{median(one.peaks) / (1 << 20):.0f}",
            "cut" if one.code is None else str(one.code),
        )
        for one in sorted(measured, key=lambda one: one.median_wall)
    ]
    head = ("command", "median, s", "from to, s", "peak, MiB", "exit code")
    return markdown_table(head, rows)


def tool_matrix(rows: Sequence[PeerRow], tools: Sequence[str], what: str) -> list[str]:
    """Rows against tools, with the confirmation of each row, if there is one."""
    real = any(row.real for row in rows)
    body = [
        (row.title, *[row.real] * real, *(row.cells.get(tool, "") for tool in tools))
        for row in rows
    ]
    return markdown_table((what, *["real"] * real, *tools), body)


def count_reported(rows: Sequence[PeerRow], tools: Sequence[str]) -> dict[str, int]:
    """How many rows each tool reports."""
    return {tool: sum(row.cells.get(tool) in COUNTED for row in rows) for tool in tools}


def list_missed_rows(rows: Sequence[PeerRow], ours: str) -> list[str]:
    """Rows in which another tool reports what ours does not, or nobody does."""
    said: list[str] = []
    for row in rows:
        if row.cells.get(ours) in COUNTED:
            continue
        better = [t for t, cell in row.cells.items() if cell in COUNTED]
        who = f"{', '.join(better)} reports it" if better else "nobody reports it"
        why = f" ({row.remark})" if row.remark else ""
        said.append(f"- {row.title}: {who}, `{ours}` does not{why}.")
    return said
