"""
How long a page with 500 findings takes: to write, and to show in Chromium.

The browser starts before the clock. Writes docs/benchmarks/html.md.
"""

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import _page

from pipedoctor.check import (
    Finding,
    Lasts,
    Location,
    Remedy,
    Severity,
    Verdict,
    in_code,
)
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.engine.triage import triage
from pipedoctor.facts import Cpu, Facts, Limits, Loader, Memory, Rlimit, Shm, Site
from pipedoctor.report.html import render
from pipedoctor.report.json import render as as_json
from pipedoctor.report.model import Report, build_report
from pipedoctor.units import GiB, MiB

ROUNDS = int(os.environ.get("ROUNDS", "9"))
FINDINGS = 500
GOAL = 1.0
CODES = ("PDR101", "PDR103", "PDR201", "PDR303", "PDR701")


def make_report(number: int) -> Report:
    """A report with so many findings, each with evidence and two remedies."""
    catalogue = get_catalogue()
    facts = Facts(
        Site(system="linux", container="docker", distribution="Debian 12"),
        Shm(size=64 * MiB),
        Loader(num_workers=16, batch_bytes=64 * MiB),
        Cpu(logical=64, affinity=8),
        Memory(total=64 * GiB, available=60 * GiB),
        Limits(nofile=Rlimit(soft=1024, hard=4096)),
    )
    each = number // len(CODES)
    verdicts = [
        Verdict(code, tuple(make_finding(code, place) for place in range(each))) for code in CODES
    ]
    ranked = triage(catalogue, verdicts)
    created = "2026-01-01T00:00:00Z"
    return build_report(catalogue, facts, verdicts, ranked, created=created, seconds=0.2)


def make_finding(code: str, number: int) -> Finding:
    """One of code, in a file of its own."""
    remedy = Remedy(
        title="Say so on the command line",
        argv=("python", "train.py", "--workers", str(number)),
        lasts=Lasts.PROCESS,
    )
    return Finding(
        severity=Severity(1 + number % 4),
        summary=f"{code} speaks about loader_{number} in this file",
        evidence={"num_workers": 0, "dataset": f"train.D{number}", "size": MiB},
        remedies=(in_code("Give it workers", "DataLoader(..., num_workers=2)"), remedy),
        location=Location(path=f"src/experiment_{number}/train.py", line=number + 1),
    )


def time_rounds(action: Callable[[], object]) -> tuple[float, float, float]:
    """Median, least and most seconds of some rounds."""
    walls: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        action()
        walls.append(time.perf_counter() - began)
    return statistics.median(walls), min(walls), max(walls)


def time_in_browser(file: Path) -> tuple[float, float, float] | None:
    """Measure seconds from the order to load the page until its layout is done."""
    program = shutil.which("chromium")
    if program is None:
        return None
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as started:
        options = ["--no-sandbox", "--disable-gpu", "--no-first-run"]
        browser = started.chromium.launch(executable_path=program, args=options)
        page = browser.new_page(viewport={"width": 1400, "height": 900})

        def load() -> None:
            page.goto("about:blank")
            page.goto(file.as_uri(), wait_until="load")
            page.evaluate(
                "new Promise(done => requestAnimationFrame(() =>"
                " requestAnimationFrame(() => done(document.body.scrollHeight))))"
            )

        load()
        timed = time_rounds(load)
        browser.close()
    return timed


def main() -> None:
    """Measure, and write the table."""
    whole = make_report(FINDINGS)
    page = render(whole)  # templates are compiled once
    rows = [
        (
            f"`--format html`, {FINDINGS} findings, to write",
            time_rounds(lambda: render(whole)),
        ),
        (
            f"`--format json`, {FINDINGS} findings, to write",
            time_rounds(lambda: as_json(whole)),
        ),
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, "utf-8")
        seen = time_in_browser(file)
    if seen is None:
        sys.exit("no Chromium to show it in: docs/benchmarks/html.md stays as it is")
    rows.append(("the same page, until Chromium shows it", seen))
    spent = sum(timed[0] for name, timed in rows if "json" not in name)
    _page.write_page(
        "html.md",
        "How long a page takes",
        _page.describe_run() + f" {ROUNDS} rounds. The page has {len(whole.findings)} findings and"
        f" {len(page) // 1024} KiB.",
        _page.format_table(
            ("what", "median, s", "from to, s"),
            [f"| {n} | {t[0]:.3f} | {t[1]:.3f} to {t[2]:.3f} |" for n, t in rows],
        ),
        _page.format_goals(
            {f"written and shown within {GOAL:.0f} s ({spent:.2f} s)": spent < GOAL}
        ),
    )


if __name__ == "__main__":
    main()
