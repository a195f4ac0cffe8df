"""Why a command that `run` started has died, judged by what was seen of it until then."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import structs

from pipedoctor.cli.request.job_request import JobRequest
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files

if TYPE_CHECKING:
    from pipedoctor.collect.plan import CollectionRequest
    from pipedoctor.explanation.model import Explanation, SuspectedCause
    from pipedoctor.facts import Facts

_LAUNCHERS = ("torchrun", "accelerate", "deepspeed")
"""Programs that run a script in the environment they are installed in."""
_DEAD_JOB = "the job that died"
_SIGKILL_CODE = 128 + 9
"""As a shell says it."""
_OOM = "worker-oom-killed"
_COUNT_STAYED = (
    "the kernel's count of processes that it ended for want of memory did not rise meanwhile"
)
_NO_OOM = (
    f"\npipedoctor run: killed by SIGKILL; no sign of the OOM killer here: {_COUNT_STAYED}."
    " Something else sent it: kill -9, a scheduler or container at its limit, systemd-oomd.\n"
)
_FULL_SHARE = 0.9
"""Share of /dev/shm in use from which on it counts as full."""


def explain_output(
    output_bytes: bytes,
    code: int,
    argv: Sequence[str],
    job: JobRequest,
    facts: "Facts | None",
    *,
    ran_out: bool | None = None,
) -> str:
    """
    What `explain` says of the output, and of the signal that ended the command.

    `facts` is what was watched of it; `ran_out`: did the kernel end a process for want of
    memory meanwhile, as far as that is known? Empty: there is nothing to say.
    """
    from io import BytesIO

    from pipedoctor.cli.actions import privacy
    from pipedoctor.cli.terminal import output
    from pipedoctor.explanation.explain import explain
    from pipedoctor.explanation.text import render
    from pipedoctor.runtime.attempt import Crash, attempt

    killed_by_other = code == _SIGKILL_CODE and ran_out is False
    note = _NO_OOM if killed_by_other else ""
    end = b"" if killed_by_other else f"\nexit code {code}\n".encode()
    redactor = privacy.make_stderr_redactor()

    def look(sections: frozenset[str]) -> "Facts":
        return _collect_job(sections, argv, job, facts)

    done = attempt(
        lambda: explain(BytesIO(output_bytes + end), source="run", redactor=redactor, facts=look)
    )
    if isinstance(done, Crash) or not _is_explainable(done.value):
        return note
    causes = tuple(_judge_oom(_keep_possible(cause), ran_out) for cause in done.value.causes)
    found = structs.replace(done.value, causes=causes)
    color = sys.stderr.isatty() and output.has_colors(None, no_color=False)
    return note + "\n" + render(found, width=output.get_width(), color=color)


def _is_explainable(explanation: "Explanation") -> bool:
    """Ctrl-C alone needs no explanation to who pressed it."""
    fault = explanation.fault
    return bool(explanation.causes or (fault and fault.kind != "KeyboardInterrupt"))


def _keep_possible(cause: "SuspectedCause") -> "SuspectedCause":
    """What is not so now may have been so when the job died: only its log can tell."""
    if cause.here != "ruled-out":
        return cause
    return structs.replace(
        cause, here="unknown", why_here=f"{cause.why_here}; nevertheless the job failed here"
    )


def _judge_oom(cause: "SuspectedCause", ran_out: bool | None) -> "SuspectedCause":
    """What the kernel's count says of a process that ran out of memory."""
    if cause.name != _OOM or ran_out is not False:
        return cause
    return structs.replace(cause, here="unknown", why_here=_COUNT_STAYED)


def _collect_job(
    sections: frozenset[str], argv: Sequence[str], job: JobRequest, watch_facts: "Facts | None"
) -> "Facts":
    """The facts of this machine, and of the job as its code and its processes show it."""
    from pipedoctor.explanation.local_facts import collect_sections
    from pipedoctor.facts import Loader

    observed = _observe_loader(watch_facts)
    inquiry = _build_inquiry(argv, job, observed)
    facts = collect_sections(sections, inquiry=inquiry)
    return _add_shm_at_death(facts, facts.get(Loader), watch_facts)


def _build_inquiry(
    argv: Sequence[str], job: JobRequest, watched_job: JobRequest
) -> "CollectionRequest | None":
    """Options first, then what was seen, then the code of the command; None: nothing known."""
    script = _look_up(find_script, argv) or ""
    named = None if job.python or job.env else _look_up(find_python, argv)
    whole = JobRequest(
        workers=watched_job.workers if job.workers is None else job.workers,
        ranks=watched_job.ranks if job.ranks is None else job.ranks,
        batch_bytes=job.batch_bytes,
        prefetch=job.prefetch,
        data=job.data,
        python=job.python or named,
        env=job.env,
    )
    if not (whole.is_known or script):
        return None
    code = (script,) if script else ()
    try:
        inquiry = whole.build_inquiry(code)
    except click.UsageError:  # an interpreter that nobody named, without an environment
        inquiry = structs.replace(whole, python=job.python).build_inquiry(code)
    return _mark_observed(inquiry, job)


def _mark_observed(inquiry: "CollectionRequest", job: JobRequest) -> "CollectionRequest":
    """The same, where what was seen of the job names no option as its origin."""
    if inquiry.loader is None:
        return inquiry
    typed = job.loader.origin if job.loader else {}
    origin = {name: typed.get(name, _DEAD_JOB) for name in inquiry.loader.origin}
    return structs.replace(inquiry, loader=structs.replace(inquiry.loader, origin=origin))


def _observe_loader(facts: "Facts | None") -> JobRequest:
    """How many workers and ranks the job had, as far as it was seen."""
    from pipedoctor.facts import Pipeline

    pipeline = facts.get(Pipeline) if facts is not None else None
    observed = pipeline.observed if pipeline is not None else None
    if observed is None or not observed.workers:
        return JobRequest()
    return JobRequest(workers=observed.workers, ranks=max(1, observed.ranks))


def _add_shm_at_death(facts: "Facts", loader: object, watch_facts: "Facts | None") -> "Facts":
    """/dev/shm as the job had it: its own size, and whether it was full."""
    from pipedoctor.facts import LiveJob, Loader, Shm

    shm, live = facts.get(Shm), watch_facts.get(LiveJob) if watch_facts is not None else None
    trend = live.shm if live is not None else None
    if shm is None or trend is None or not trend.limit:
        return facts
    size = int(trend.limit)
    facts = facts.merge(structs.replace(shm, size=size, used=0, available=None))
    full = trend.last >= _FULL_SHARE * size
    if not full or not isinstance(loader, Loader) or loader.batch_bytes is not None:
        return facts
    batches = loader.batches_in_flight
    if not batches:
        return facts
    least = {**loader.origin, "batch_bytes": _DEAD_JOB}
    return facts.merge(structs.replace(loader, batch_bytes=int(trend.last / batches), origin=least))


def _look_up(find: Callable[[Sequence[str]], str | None], argv: Sequence[str]) -> str | None:
    """What `find` finds on this machine, in a lane; None where a path does not answer."""
    try:
        found: str | None = files.run_with_timeout(argv[0], lambda _: find(argv))
    except UnreadableError:
        return None
    return found


def find_script(argv: Sequence[str]) -> str:
    """The script of Python that a command runs, or empty."""
    words = list(argv)
    for number, word in enumerate(words[1:], 1):
        if word == "-m" and number + 1 < len(words):
            module = Path(*words[number + 1].split(".")).with_suffix(".py")
            if module.is_file():
                return str(module)
        elif word.endswith(".py") and Path(word).is_file():
            return word
    first = words[0]
    return first if first.endswith(".py") and Path(first).is_file() else ""


def find_python(argv: Sequence[str]) -> str | None:
    """The interpreter that a command runs in, where it names one or a launcher of it."""
    name = Path(argv[0]).name
    if name.startswith("python"):
        return shutil.which(argv[0])
    place = shutil.which(argv[0]) if name in _LAUNCHERS else None
    python = Path(place).with_name("python") if place else None
    return str(python) if python and os.access(python, os.X_OK) else None
