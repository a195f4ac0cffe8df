"""The page of `watch`: a row for each loop, what watching costs, the goals, other tools."""

import os
from dataclasses import dataclass, field

import _page
from _watch_loss import Loss
from _watch_peers import describe_peers

from tests.watch.loops.scores import LABELS, Score, find_marked_lines

MIN_RIGHT, MIN_NAMED, MAX_DISTANCE = 0.9, 0.8, 0.1
MAX_COSTS, MAX_PLAIN_COST = (20.0, 5.0), 1.0
"""Milliseconds of CPU a second: at first and then; without stacks."""
VERDICTS, COSTS, LOSS, PEERS = (
    "Verdicts",
    "What looking costs",
    "What throughput is lost",
    "Other tools",
)
"""The sections of the page."""
FINE = ("bottleneck-consumer", "bottleneck-main-thread")


def format_score(result: Score, spied: int | None) -> str:
    """One row of the table."""
    marked = find_marked_lines().get(result.name)
    line = "-" if marked is None else "right" if result.line_right else f"**{result.line}**"
    spy = "" if spied is None or marked is None else "right" if spied == marked else "other"
    verdict = result.verdict.removeprefix("bottleneck-")
    shown = verdict if result.right else f"**{verdict}**"
    return (
        f"| {result.name} | {LABELS[result.name]} | {shown} | {line} | {result.wait:.0%} |"
        f" {result.own_wait:.0%} | {spy} |"
    )


@dataclass
class Measured:
    """All that a page is made of."""

    wanted: int = 0
    """Loops that were to be watched."""
    results: list[Score] = field(default_factory=list[Score])
    rows: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])
    """Loops without a result."""
    costs: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    loss: Loss | None = None
    peers: list[str] = field(default_factory=list[str])

    def summarize_loops(self) -> dict[str, bool]:
        """The goals of verdicts, and whether they are met; a loop that failed is not right."""
        results, tried = self.results, len(self.results) + len(self.failed)
        right = sum(r.right for r in results) / max(1, tried)
        fine = [r for r in results if f"bottleneck-{LABELS[r.name]}" in FINE]
        blamed = [r.name for r in fine if r.verdict not in FINE]
        lines = [r.line_right for r in results if r.line_right is not None]
        named = sum(lines) / max(1, len(lines))
        near = sum(abs(r.wait - r.own_wait) <= MAX_DISTANCE for r in results) / max(1, tried)
        return {
            f"the verdict is right in 90 % ({right:.0%})": right >= MIN_RIGHT,
            f"no pipeline that is fine is blamed ({len(blamed)} of {len(fine)})": not blamed,
            f"the line at fault is named in 80 % ({named:.0%})": named >= MIN_NAMED,
            f"data wait within 10 points of the loop's own clock ({near:.0%})": near == 1.0,
        }

    def summarize_costs(self) -> dict[str, bool]:
        """The goals of what looking takes, and whether they are met."""
        stacks = [cost for name, cost in self.costs.items() if "without" not in name]
        plain = [cost for name, cost in self.costs.items() if "without" in name]
        return {
            "20 ms of CPU a second at first, then 5": all(
                first <= MAX_COSTS[0] and then <= MAX_COSTS[1] for first, then in stacks
            ),
            "1 ms a second without stacks": all(then <= MAX_PLAIN_COST for _, then in plain),
        }


def write_watch_page(found: Measured) -> None:
    """Write docs/benchmarks/watch.md; a section that was not measured now stays as it is."""
    measured = {
        VERDICTS: _describe_loops(found) if found.rows else "",
        COSTS: _describe_costs(found) if found.costs else "",
        LOSS: _join_parts(describe_by("--pairs"), found.loss.describe()) if found.loss else "",
        PEERS: _join_parts(describe_by(), describe_peers(found.peers)) if found.peers else "",
    }
    kept = _read_sections()
    sections = {title: text or kept.get(title, "") for title, text in measured.items()}
    _page.write_page(
        "watch.md",
        "How right `watch` is, and what it costs",
        *(f"## {title}\n\n{text}" for title, text in sections.items() if text),
    )


def describe_by(option: str = "", *more: str) -> str:
    """When and by which command a section was measured."""
    command = f"nice -n {os.nice(0)} python benchmarks/watch.py {option}".strip()
    return _page.describe_run(*more, by=command)


def _read_sections() -> dict[str, str]:
    """The sections of the page as it is, by title."""
    page = _page.PAGES / "watch.md"
    text = page.read_text("utf-8") if page.exists() else ""
    parts = (section.partition("\n") for section in f"\n{text}".split("\n## ")[1:])
    return {title: body.strip() for title, _, body in parts}


def _describe_loops(found: Measured) -> str:
    head = ("loop", "label", "verdict", "line", "data wait", "own clock", "line by py-spy")
    late = found.wanted - len(found.rows)
    return _join_parts(
        describe_by(
            "",
            f"{len(found.rows)} of the {len(LABELS)} loops of tests/watch/loops"
            + (f" ({late} had no time left)" if late > 0 else ""),
        ),
        "Each loop is watched for 7 s from when it is warm. What is wrong is in bold. py-spy "
        "samples one loop of each class for 5 s, 50 times a second, without stopping it.",
        _page.format_goals(found.summarize_loops()),
        _page.format_table(head, found.rows),
    )


def _describe_costs(found: Measured) -> str:
    cost = [f"| {name} | {first:.1f} | {then:.1f} |" for name, (first, then) in found.costs.items()]
    return _join_parts(
        describe_by("--costs"),
        "Milliseconds of CPU a second that looking takes; starting, lines and the report are "
        "not counted:",
        _page.format_table(("job", "first 3 s", "then"), cost),
        _page.format_goals(found.summarize_costs()),
    )


def _join_parts(*parts: str) -> str:
    return "\n\n".join(parts)
