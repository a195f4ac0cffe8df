"""PDR931: The kernel killed a process because memory ran out."""

from msgspec.structs import replace

from pipedoctor.check import Remedy, grant_memory, in_code
from pipedoctor.facts.log import Log
from pipedoctor.units import GiB, KiB, parse_size
from pipedoctor_checks.crashes._log_check import log_check

_USUAL_GRANT = 64 * GiB


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Ask for less, and grant twice as much as the log says that there was."""
    had = _read_limit(log)
    much = "twice as much memory as now" if had else "more memory than now"
    return (
        in_code(
            "Use fewer workers and a smaller prefetch_factor, and read samples only when they"
            " are needed",
            "DataLoader(..., num_workers=2, prefetch_factor=1)",
        ),
        *(
            replace(remedy, advice=True)
            for remedy in grant_memory(f"Request {much}", 2 * had or _USUAL_GRANT)
        ),
    )


def _read_limit(log: Log) -> int:
    """Bytes that the log names as the limit; 0: it names none."""
    cause = "worker_oom_killed"
    if kilobytes := log.find_value(cause, "kilobytes"):
        return int(kilobytes) * KiB
    found = (log.find_value(cause, name) for name in ("memory", "given", "told"))
    text = next(filter(None, found), "")
    try:
        return parse_size(f"{text}M" if text.isdecimal() else text) if text else 0
    except ValueError:  # more than any machine has
        return 0


@log_check(
    "PDR931",
    "The kernel killed a process because memory ran out",
    summary="Memory ran out, and the kernel or the control group killed a process",
    remedies=_choose_remedies,
)
def worker_oom_killed() -> None:
    """
    Find workers or trainers that were killed because memory ran out.

    ## Why it hurts

    The machine or the job's control group ran out of memory, and the kernel killed one
    process: usually a worker, without a message from Python.

    ## How it is judged

    A worker or the job ended with signal 9, the kernel or the scheduler reports an
    out-of-memory kill, or memory could not be allocated. Why memory grew is another
    question: workers that copy the dataset's Python objects are a common reason.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/8976
    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    """
