"""PDR728: may the kernel refuse memory that would be there?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Lasts,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import Loader, Memory, Site
from pipedoctor.units import MiB, format_count, format_size
from pipedoctor_checks._shared.advice import apply_on_host


@check("PDR728", "Strict overcommit may refuse memory that is free", fix="machine")
def overcommit_refuses(
    memory: Memory,
    loader: Loader | None,
    site: Site | None = None,
    /,
    *,
    main_bytes: int = 165 * MiB,
) -> Findings:
    """
    Look for strict memory accounting, which makes `fork` of a worker fail.

    ## Why it hurts

    With `vm.overcommit_memory=2` the kernel counts all private writable memory of a
    process again for each fork, used or not. Starting workers from a large training
    process then fails with `OSError: [Errno 12] Cannot allocate memory` although most
    of the memory is free.

    ## How it is judged

    No other setting is reported. Strict accounting is a note. If the workers are known
    it is a risk when the remaining commit limit does not cover a fork of a bare torch
    process (`main_bytes`) for each of them: real processes are larger.

    ## Sources

    - https://www.kernel.org/doc/Documentation/vm/overcommit-accounting.rst
    - https://github.com/ClementPinard/FlowNetPytorch/issues/85
    """
    if memory.overcommit is None:
        message = "memory: vm.overcommit_memory is not known"
        raise CannotJudge(message)
    if memory.overcommit != 2:  # noqa: PLR2004  (the kernel's name for "never")
        return
    if memory.commit_limit is None or memory.committed is None:
        message = "memory: the kernel does not report the committed memory"
        raise CannotJudge(message)
    left = max(0, memory.commit_limit - memory.committed)
    workers = (loader.workers_on_node if loader else None) or 0
    short = left < workers * main_bytes
    verb = "is" if workers == 1 else "are"
    forks = f"; {format_count(workers, 'worker')} {verb} to be forked" if short else ""
    yield Finding(
        severity=Severity.RISKS if short else Severity.NOTE,
        confidence=Confidence.LIKELY if short else Confidence.CERTAIN,
        summary=f"vm.overcommit_memory is 2: {format_size(left)} of"
        f" {format_size(memory.commit_limit)} may still be committed{forks}",
        evidence={
            "memory.overcommit": memory.overcommit,
            "memory.commit_limit": memory.commit_limit,
            "memory.committed": memory.committed,
            "loader.workers_on_node": workers,
        },
        remedies=_restore_default(site),
    )


def _restore_default(site: Site | None) -> tuple[Remedy, ...]:
    here = Remedy(
        title="Restore the kernel's default, if the administrator agrees",
        argv=("sysctl", "vm.overcommit_memory=0"),
        undo=("sysctl", "vm.overcommit_memory=2"),
        verify=("sysctl", "vm.overcommit_memory"),
        lasts=Lasts.BOOT,
        root=True,
        advice=True,
    )
    return apply_on_host(site, here, "Have the kernel's default restored on the host")
