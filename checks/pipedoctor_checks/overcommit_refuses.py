"""PDR728: may the kernel refuse memory that would be there?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Loader, Memory
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.units import MiB, human, many


@check("PDR728", "The kernel promises no more memory than it has")
def overcommit_refuses(
    memory: Memory, loader: Loader | None, /, *, main_bytes: int = 165 * MiB
) -> Findings:
    """
    Look for strict accounting of memory, which makes `fork` of a worker fail.

    ## Why it hurts

    With `vm.overcommit_memory=2` the kernel counts all private writable memory of
    a process again for each fork, used or not. Starting workers from a training
    process of some size then fails with `OSError: [Errno 12] Cannot allocate
    memory` though most of the memory is free.

    ## How it is judged

    Any other setting is silent. Strict accounting is a note. With the workers known
    it is a risk when what may still be promised does not cover a fork of a bare
    torch process (`main_bytes`) for each of them: real ones are larger.

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
        message = "memory: the kernel does not say what it has promised"
        raise CannotJudge(message)
    left = max(0, memory.commit_limit - memory.committed)
    workers = (loader.workers_on_node if loader else None) or 0
    short = left < workers * main_bytes
    verb = "is" if workers == 1 else "are"
    forks = f"; {many(workers, 'worker')} {verb} to be forked" if short else ""
    yield Finding(
        severity=Severity.RISKS if short else Severity.NOTE,
        confidence=Confidence.LIKELY if short else Confidence.CERTAIN,
        summary=f"vm.overcommit_memory is 2: {human(left)} of "
        f"{human(memory.commit_limit)} may still be promised{forks}",
        evidence={
            "memory.overcommit": memory.overcommit,
            "memory.commit_limit": memory.commit_limit,
            "memory.committed": memory.committed,
            "loader.workers_on_node": workers,
        },
        remedies=(
            Remedy(
                title="Go back to the kernel's default, if the administrator agrees",
                argv=("sysctl", "vm.overcommit_memory=0"),
                undo=("sysctl", "vm.overcommit_memory=2"),
                verify=("sysctl", "vm.overcommit_memory"),
                lasts=Lasts.BOOT,
                root=True,
                advice=True,
            ),
        ),
    )
