"""Proof by looking again: is the value that was asked for the value that is there?"""

import shutil

from pipedoctor.fix.files.file_content import read_content
from pipedoctor.fix.limits import persist
from pipedoctor.fix.plan.current_value import SHM_PATH
from pipedoctor.fix.plan.plan import CommandStep, FixPlan, WriteStep
from pipedoctor.runtime.captured_process import LateProcessError, run_captured


def verify_values(plan: FixPlan) -> str:
    """Why the plan did not reach what it promised; empty when it did."""
    for step in plan.steps:
        if isinstance(step, CommandStep) and step.gauge:
            now = step.gauge.read()
            if now != step.after:
                return f"{step.gauge.subject} has {now}, not {step.after}"
        if isinstance(step, WriteStep):
            if read_content(step.path) != step.content:
                return f"{step.path} does not hold what was written"
            if step.path == persist.FSTAB and (why_not := _verify_fstab(step)):
                return why_not
    return ""


def _verify_fstab(step: WriteStep) -> str:
    """Let the reader of fstab itself read the line, where it is installed."""
    wanted = persist.read_fstab_size(step.content)
    program = shutil.which("findmnt")
    if program is None or wanted is None:
        return "" if wanted else f"{step.path} has no size for {SHM_PATH}"
    argv = (program, "--tab-file", step.path, "-n", "-o", "OPTIONS", SHM_PATH)
    try:
        done = run_captured(argv, timeout=10)
    except (OSError, LateProcessError):
        return ""  # a reader that does not run proves nothing either way
    seen = done.stdout.strip().split(b",")
    return "" if b"size=" + wanted in seen else f"{step.path}: findmnt reads {seen!r}"
