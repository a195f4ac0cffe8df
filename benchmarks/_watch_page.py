"""The page of `watch`: a row for each loop, what watching costs, the goals, other tools."""

from dataclasses import dataclass, field

import _page
from _watch_loss import LOSS_HEAD, Loss
from _watch_peers import describe_peers

from tests.watch.loops.scores import LABELS, Score, find_marked_lines

MIN_RIGHT, MIN_NAMED, MAX_DISTANCE = 0.9, 0.8, 0.1
MAX_COSTS, MAX_PLAIN_COST = (20.0, 5.0), 1.0
"""Milliseconds of CPU a second: at first and then; without stacks."""
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

    wanted: int
    """Loops that were to be watched."""
    results: list[Score] = field(default_factory=list[Score])
    rows: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])
    """Loops without a result."""
    costs: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    loss: Loss | None = None
    peers: list[str] = field(default_factory=list[str])

    def summarize(self) -> dict[str, bool]:
        """The goals, and whether they are met; a loop that failed is none that is right."""
        results, tried = self.results, len(self.results) + len(self.failed)
        right = sum(r.right for r in results) / max(1, tried)
        fine = [r for r in results if f"bottleneck-{LABELS[r.name]}" in FINE]
        blamed = [r.name for r in fine if r.verdict not in FINE]
        lines = [r.line_right for r in results if r.line_right is not None]
        named = sum(lines) / max(1, len(lines))
        near = sum(abs(r.wait - r.own_wait) <= MAX_DISTANCE for r in results) / max(1, tried)
        stacks = [cost for name, cost in self.costs.items() if "without" not in name]
        plain = [cost for name, cost in self.costs.items() if "without" in name]
        goals = {
            f"the verdict is right in 90 % ({right:.0%})": right >= MIN_RIGHT,
            f"no pipeline that is fine is blamed ({len(blamed)} of {len(fine)})": not blamed,
            f"the line at fault is named in 80 % ({named:.0%})": named >= MIN_NAMED,
            f"data wait within 10 points of the loop's own clock ({near:.0%})": near == 1.0,
        }
        if self.costs:
            goals["20 ms of CPU a second at first, then 5"] = all(
                first <= MAX_COSTS[0] and then <= MAX_COSTS[1] for first, then in stacks
            )
            goals["1 ms a second without stacks"] = all(then <= MAX_PLAIN_COST for _, then in plain)
        return goals


def write_watch_page(found: Measured) -> None:
    """Write docs/benchmarks/watch.md."""
    head = ("loop", "label", "verdict", "line", "data wait", "own clock", "line by py-spy")
    cost = [f"| {name} | {first:.1f} | {then:.1f} |" for name, (first, then) in found.costs.items()]
    about = (
        "Each loop is watched for 7 s from when it is warm. What is wrong is in bold. py-spy "
        "samples one loop of each class for 5 s, 50 times a second, without stopping it."
    )
    parts = [
        about,
        _page.format_table(head, found.rows),
    ]
    if cost:
        parts += [
            "Looks, CPU milliseconds a second; starting, lines and the report are not counted:",
            _page.format_table(("job", "first 3 s", "then"), cost),
        ]
    if found.loss:
        parts.append(found.loss.describe())
    _page.write_page(
        "watch.md",
        "How right `watch` is, and what it costs",
        _page.describe_run(
            f"{len(found.rows)} of the {len(LABELS)} loops of tests/watch/loops"
            + (
                f" ({found.wanted - len(found.rows)} had no time left)"
                if found.wanted > len(found.rows)
                else ""
            ),
            by="nice -n -15 python benchmarks/watch.py",
        ),
        *parts,
        _page.format_goals(found.summarize()),
        describe_peers(found.peers),
    )


def replace_loss(loss: Loss) -> None:
    """Write what was measured again into the page, as its paragraph about throughput."""
    page = _page.PAGES / "watch.md"
    text = page.read_text("utf-8")
    begin = text.index(LOSS_HEAD)
    end = text.index("\n", begin)
    again = _page.describe_run(by="nice -n -15 python benchmarks/watch.py --pairs")
    page.write_text(f"{text[:begin]}{loss.describe()} {again}{text[end:]}", "utf-8")
