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
LOOKING = ("Find out", "Look ")
"""How a title begins that changes nothing."""
SUDO = 'sudo() { "$@"; }; '
LEAVE = "\nfor g in /sys/fs/cgroup/{,memory/,pids/,cpu/}pipedoctor-faults; do [ -d $g ] && "
LEAVE += "echo $$ >${g%/*}/cgroup.procs && rmdir $g; done 2>/dev/null; true\n"


def ask(fault: Fault, more: str = "") -> str:
    """The command that judges this fault."""
    return f"{CHECK} {'--quick ' * fault.quick}--select {fault.check} {fault.job} {more}"


def run(script: str, folder: str) -> list[list[dict[str, Any]]]:
    """The findings of each report that the script prints, in an empty folder."""
    done = subprocess.run(
        ["unshare", "--mount", "bash", "-c", f"rm -rf -- ./*; {SUDO}{script}{LEAVE}"],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": f"{folder}/state"},
        timeout=120,
    )
    reports, at = [], 0
    while found := REPORT.search(done.stdout, at):
        report, at = json.JSONDecoder().raw_decode(done.stdout, found.start())
        reports.append(report["findings"])
    return reports


def type_way(fault: Fault, way: Sequence[ReportedRemedy], folder: str) -> bool | None:
    """Is the finding gone after these steps? None: they are not typed here."""
    typed, job = [], ""
    if way[0].title.startswith(LOOKING):
        return None
    for step in way:
        text = step.shell or step.snippet
        if found := dict(JOB.findall(text)):
            job += " ".join(f"{OPTIONS[name]} {value} " for name, value in found.items())
        elif step.shell and "train.py" in text:
            return is_gone(fault, re.sub("python3? train.py", ask(fault), text), folder)
        elif step.shell:
            typed.append(text)
        else:
            return None
    lines = [*(f"{line} >&2" for line in typed), ask(fault, job)]
    return is_gone(fault, "\n".join(lines), folder)


def is_gone(fault: Fault, script: str, folder: str) -> bool:
    """A note is no illness."""
    reports = run(f"{fault.made}\n{script}", folder)
    return len(reports) == 1 and all(one["severity"] == "note" for one in reports[0])


def judge(fault: Fault, folder: str) -> Iterator[tuple[str, bool | None]]:
    """Each way that is printed, and whether it cures."""
    (findings,) = run(f"{fault.made}\n{ask(fault)}", folder)
    if not findings:
        yield "not seen here", None
    for finding in findings[:1]:
        known = (ReportedRemedy(**one) for one in finding["remedies"])
        for way in group_steps(known):
            text = " ; ".join(step.shell or step.snippet or step.title for step in way)
            yield text.replace(folder, "FOLDER"), type_way(fault, way, folder)


def main() -> None:
    """Type all, and write the page."""
    if os.geteuid() != 0:
        sys.exit("needs root: faults are mounted")
    rows, others = [], 0
    for name, fault in FAULTS.items():
        if sys.argv[1:] and not any(one in name for one in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for text, cured in judge(fault, folder):
                others += cured is None
                line = f"| {name} | {fault.check} | `{text}` | {'yes' if cured else '**no**'} |"
                rows += [line.replace("||", "\\|\\|")] if cured is not None else []
                print(line if cured is not None else f"not typed: {name}: {text}", flush=True)
    if not sys.argv[1:]:
        write_page(rows, others)


def write_page(rows: Sequence[str], others: int) -> None:
    """The table, and what is not in it."""
    _page.write_page(
        "remedies.md",
        "What is printed for a fault, typed",
        _page.describe_run(by="python benchmarks/remedies.py")
        + f" {len(FAULTS)} faults, each in a shell with mounts of its own. Each way to cure it is"
        " typed as it is printed, in a shell with the fault, and the same check is asked again;"
        f" {others} remedies more are code, lines of a file, or only look.",
        _page.format_table(("fault", "check", "typed", "cured"), rows),
        _page.format_goals(
            {"every line that is typed cures": not any("**no**" in r for r in rows)}
        ),
    )


if __name__ == "__main__":
    main()
