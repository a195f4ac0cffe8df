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

from pipedoctor.catalogue import installed

ROUNDS = int(os.environ.get("ROUNDS", "15"))
CHECKS = 150
"""At least so many are loaded: what is installed, and made-up ones if need be."""
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
class Command:
    """Something to measure, and what came of it."""

    name: str
    argv: Sequence[str]
    environ: dict[str, str]
    walls: list[float] = field(default_factory=list[float])
    peaks: list[int] = field(default_factory=list[int])

    def run(self) -> None:
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
    def wall(self) -> float:
        """Seconds, in the middle."""
        return statistics.median(self.walls)

    @property
    def peak(self) -> float:
        """MiB, in the middle."""
        return statistics.median(self.peaks) / (1 << 20)

    def row(self, reference: float) -> str:
        """As a line of a Markdown table."""
        spread = f"{min(self.walls):.3f} to {max(self.walls):.3f}"
        times = f"{reference / self.wall:.1f}"
        return (
            f"| {self.name} | {self.wall:.3f} | {spread} | {times} | {self.peak:.1f} |"
        )


def crowd(site: Path, distributions: int) -> None:
    """Fill a folder with a pack of many checks, and with many distributions."""
    package = site / "synthetic_checks"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for number in range(_lacking()):
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


def _lacking() -> int:
    """How many checks have to be made up."""
    return max(0, CHECKS - len(installed().checks))


def commands(folder: Path) -> list[Command]:
    """What to compare; the first is the yardstick."""
    plain = {k: v for k, v in _environ.compiled().items() if k != "PYTHONPATH"}
    collect_env = (sys.executable, "-m", "torch.utils.collect_env")
    crowded: list[Command] = []
    for number in CROWDS:
        site = folder / str(number)
        crowd(site, number)
        environ = plain | {"PYTHONPATH": str(site)}
        more = f"{number} more distributions"
        if _lacking():
            more = f"{_lacking()} more checks, {more}"
        crowded += [
            Command(f"`collect_env`, {more}", collect_env, environ),
            Command(f"`check --quick`, {more}", QUICK, environ),
        ]
    return [
        Command("`python -m torch.utils.collect_env`", collect_env, plain),
        Command("`pipedoctor check --quick`", QUICK, plain),
        Command(
            "`pipedoctor check --quick --format json`",
            (*QUICK, "--format", "json"),
            plain,
        ),
        Command("`pipedoctor --help`", (*DOCTOR, "--help"), plain),
        Command("`python -c pass`", (sys.executable, "-c", "pass"), plain),
        *crowded,
    ]


def page(measured: Sequence[Command]) -> None:
    """Write the table, and whether the goals are met."""
    yardstick, quick, _, help_, *_ = measured
    ratio = yardstick.wall / quick.wall
    kept = {
        f"`check --quick` in 1/{RATIO_GOAL:g} of the time": ratio >= RATIO_GOAL,
        f"its memory at most {MEMORY_GOAL >> 20} MiB": quick.peak <= MEMORY_GOAL >> 20,
        f"`--help` in {HELP_GOAL} s": help_.wall <= HELP_GOAL,
    }
    head = ("command", "median, s", "from to, s", "times faster", "peak, MiB")
    _page.write(
        "startup.md",
        "How long it takes",
        _page.written(f"{len(installed().checks)} checks")
        + f" {ROUNDS} rounds in which all commands take turns, warm caches. *Faster* is"
        " against `collect_env`.",
        _page.table(head, [command.row(yardstick.wall) for command in measured]),
        _page.goals(kept),
    )


def main() -> None:
    """Measure and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        compared = commands(Path(folder))
        for command in compared:  # once for the caches and the .pyc files
            command.run()
            command.walls.clear()
            command.peaks.clear()
        for _ in range(ROUNDS):
            for command in compared:
                command.run()
    page(compared)


if __name__ == "__main__":
    main()
