"""
How long, and how much memory: `check --quick` beside `torch.utils.collect_env`.

Commands take turns, so that whatever else the machine does hits all of them; medians
of wall time and the peak of resident memory (`ru_maxrss` of the process and of every
child that it waited for). Writes docs/benchmarks/startup.md.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import _environ
import _page

from pipedoctor.engine.catalogue import get_catalogue

ROUNDS = int(os.environ.get("ROUNDS", "15"))
CHECKS = 150
"""At least so many are loaded: those of the catalogue, and made-up ones if need be."""
CROWDS = (400, 2000)
"""Distributions in environments that are larger than this one."""

HELP_GOAL = 0.15
RATIO_GOAL = 8.0
MEMORY_GOAL = 45 << 20

DOCTOR = (sys.executable, "-m", "pipedoctor")
QUICK = (*DOCTOR, "check", "--quick", "--no-config", "--fail-on", "never")

MODULE = '''"""A check like any other."""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Cpu, Shm


@check("SYN{number:03}", "Synthetic check {number}")
def synthetic_{number:03}(shm: Shm, cpu: Cpu | None, /, *, least: int = 1) -> Findings:
    """
    Compare a size with a number.

    ## Why it hurts

    It does not.

    ## How it is judged

    By `least`.

    ## Sources

    - https://example.org/
    """
    if shm.size < least:
        yield Finding(severity=Severity.NOTE, summary=f"{{shm.size}} bytes")
'''


@dataclass
class MeasuredCommand:
    """Something to measure, and what came of it."""

    name: str
    argv: Sequence[str]
    environ: dict[str, str]
    walls: list[float] = field(default_factory=list[float])
    peaks: list[int] = field(default_factory=list[int])

    def run_once(self) -> None:
        """Measure it once."""
        began = time.perf_counter()
        with subprocess.Popen(
            self.argv,
            env=self.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            self.walls.append(time.perf_counter() - began)
            self.peaks.append(usage.ru_maxrss << 10)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            message = f"{self.name}: exit code {process.returncode}"
            raise SystemExit(message)

    @property
    def median_wall(self) -> float:
        """Seconds, in the middle."""
        return statistics.median(self.walls)

    @property
    def median_peak(self) -> float:
        """MiB, in the middle."""
        return statistics.median(self.peaks) / (1 << 20)

    def format_row(self, reference: float) -> str:
        """As a line of a Markdown table."""
        spread = f"{min(self.walls):.3f} to {max(self.walls):.3f}"
        times = f"{reference / self.median_wall:.1f}"
        cells = (self.name, f"{self.median_wall:.3f}", spread, times, f"{self.median_peak:.1f}")
        return f"| {' | '.join(cells)} |"


def fill_site_packages(site: Path, distributions: int) -> None:
    """Fill a folder with a pack of many checks, and with many distributions."""
    package = site / "synthetic_checks"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for number in range(_count_missing_checks()):
        source = MODULE.format(number=number)
        (package / f"synthetic_{number:03}.py").write_text(source)
    for number in range(distributions):
        metadata = site / f"dummy_{number:03}-1.{number}.dist-info"
        metadata.mkdir()
        head = f"Metadata-Version: 2.1\nName: dummy-{number:03}\nVersion: 1.{number}\n"
        requires = "Requires-Dist: dummy-000\n" if number else ""
        (metadata / "METADATA").write_text(head + requires + "\nWords.\n" * 50)
        record = "".join(f"dummy_{number:03}/{n}.py,,\n" for n in range(40))
        (metadata / "RECORD").write_text(record)
        (metadata / "INSTALLER").write_text("pip\n")
        entry = "[pipedoctor.checks]\nx = synthetic_checks\n"
        if number == 0:
            (metadata / "entry_points.txt").write_text(entry)


def _count_missing_checks() -> int:
    """How many checks have to be made up."""
    return max(0, CHECKS - len(get_catalogue().checks))


def build_commands(folder: Path) -> list[MeasuredCommand]:
    """What to compare; the first is the yardstick."""
    plain = {k: v for k, v in _environ.bytecode_environ().items() if k != "PYTHONPATH"}
    collect_env = (sys.executable, "-m", "torch.utils.collect_env")
    crowded: list[MeasuredCommand] = []
    for number in CROWDS:
        site = folder / str(number)
        fill_site_packages(site, number)
        environ = plain | {"PYTHONPATH": str(site)}
        more = f"{number} more distributions"
        if _count_missing_checks():
            more = f"{_count_missing_checks()} more checks, {more}"
        crowded += [
            MeasuredCommand(f"`collect_env`, {more}", collect_env, environ),
            MeasuredCommand(f"`check --quick`, {more}", QUICK, environ),
        ]
    return [
        MeasuredCommand("`python -m torch.utils.collect_env`", collect_env, plain),
        MeasuredCommand("`pipedoctor check --quick`", QUICK, plain),
        MeasuredCommand(
            "`pipedoctor check --quick --format json`",
            (*QUICK, "--format", "json"),
            plain,
        ),
        MeasuredCommand("`pipedoctor --help`", (*DOCTOR, "--help"), plain),
        MeasuredCommand("`python -c pass`", (sys.executable, "-c", "pass"), plain),
        *crowded,
    ]


def write_startup_page(measured: Sequence[MeasuredCommand]) -> None:
    """Write the table, and whether the goals are met."""
    yardstick, quick, _, help_, *_ = measured
    ratio = yardstick.median_wall / quick.median_wall
    kept = {
        f"`check --quick` in 1/{RATIO_GOAL:g} of the time": ratio >= RATIO_GOAL,
        f"its memory at most {MEMORY_GOAL >> 20} MiB": quick.median_peak <= MEMORY_GOAL >> 20,
        f"`--help` in {HELP_GOAL} s": help_.median_wall <= HELP_GOAL,
    }
    head = ("command", "median, s", "from to, s", "times faster", "peak, MiB")
    _page.write_page(
        "startup.md",
        "How long it takes",
        _page.describe_run(f"{len(get_catalogue().checks)} checks")
        + f" {ROUNDS} rounds in which all commands take turns, warm caches. *Faster* is"
        " against `collect_env`.",
        _page.format_table(
            head, [command.format_row(yardstick.median_wall) for command in measured]
        ),
        _page.format_goals(kept),
    )


def main() -> None:
    """Measure and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        compared = build_commands(Path(folder))
        for command in compared:  # once for the caches and the .pyc files
            command.run_once()
            command.walls.clear()
            command.peaks.clear()
        for _ in range(ROUNDS):
            for command in compared:
                command.run_once()
    write_startup_page(compared)


if __name__ == "__main__":
    main()
