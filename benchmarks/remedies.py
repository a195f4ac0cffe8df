"""
What is printed for a fault is typed, and the check is asked again.

Each fault is made in a shell with mounts of its own, which needs root on Linux; nothing of
the machine changes. Writes docs/benchmarks/remedies.md.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import _page
from _faults import FAULTS, Fault

from pipedoctor.check.remedy_steps import group_steps
from pipedoctor.report.model import ReportedRemedy

CHECK = f"{sys.executable} -P -m pipedoctor check --no-config --no-redact --format json"
REPORT = re.compile(r'\{\s*"schema"')
JOB = re.compile(r"(num_workers|prefetch_factor)=(\d+)")
OPTIONS = {"num_workers": "--workers", "prefetch_factor": "--prefetch"}
SUDO = 'sudo() { "$@"; }; '
LEAVE = "\nfor g in /sys/fs/cgroup/{,memory/,pids/,cpu/}pipedoctor-faults; do [ -d $g ] && "
LEAVE += "echo $$ >${g%/*}/cgroup.procs && rmdir $g; done 2>/dev/null; true\n"


def ask(fault: Fault, more: str = "") -> str:
    """The command that judges this fault."""
    return f"{CHECK} {'--quick ' * fault.quick}--select {fault.check} {fault.job} {more}"


def run(script: str) -> list[list[dict[str, Any]]]:
    """The findings of each report that the script prints."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["unshare", "--mount", "bash", "-c", f"{SUDO}{script}{LEAVE}"],
            check=False,
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, "XDG_STATE_HOME": f"{folder}/state"},
            timeout=120,
        )
    if os.environ.get("SHOW"):
        print(done.stderr, file=sys.stderr)
    reports, at = [], 0
    while found := REPORT.search(done.stdout, at):
        report, at = json.JSONDecoder().raw_decode(done.stdout, found.start())
        reports.append(report["findings"])
    return reports


def type_way(fault: Fault, way: Sequence[ReportedRemedy]) -> bool | None:
    """Is the finding gone after these steps? None: they are not typed here."""
    typed, job = [], ""
    if way[0].title.startswith(LOOKING):
        return None
    for step in way:
        text = step.shell or step.snippet
        if found := dict(JOB.findall(text)):
            job += " ".join(f"{OPTIONS[name]} {value} " for name, value in found.items())
        elif step.shell and "train.py" in text:
            return is_gone(fault, re.sub("python3? train.py", ask(fault), text))
        elif step.shell:
            typed.append(text)
        else:
            return None
    return is_gone(fault, "\n".join([*(f"{line} >&2" for line in typed), ask(fault, job)]))


def is_gone(fault: Fault, script: str) -> bool:
    """A note is no illness."""
    reports = run(f"{fault.made}\n{script}")
    return len(reports) == 1 and all(one["severity"] == "note" for one in reports[0])


def judge(fault: Fault) -> Iterator[tuple[str, bool | None]]:
    """Each way that is printed, and whether it cures."""
    (findings,) = run(f"{fault.made}\n{ask(fault)}")
    if not findings:
        yield "not seen here", None
    for finding in findings[:1]:
        known = (ReportedRemedy(**one) for one in finding["remedies"])
        for way in group_steps(known):
            text = " ; ".join(step.shell or step.snippet or step.title for step in way)
            yield text, type_way(fault, way)


LOOKING = ("Find out", "Look ")
"""How a title begins that changes nothing."""
CURED = {True: "yes", False: "**no**", None: "not typed"}


def main() -> None:
    """Type all, and write the page."""
    rows = []
    wanted = sys.argv[1:]
    for name, fault in FAULTS.items():
        if wanted and not any(one in name for one in wanted):
            continue
        for text, cured in judge(fault):
            line = text.replace("\n", " ⏎ ").replace("|", "\\|")
            rows.append(f"| {name} | {fault.check} | `{line}` | {CURED[cured]} |")
            print(rows[-1], flush=True)
    if wanted:
        return
    _page.write_page(
        "remedies.md",
        "What is printed, typed",
        _page.describe_run(by="python benchmarks/remedies.py"),
        _page.format_table(("fault", "check", "typed", "cured"), rows),
    )


if __name__ == "__main__":
    main()
