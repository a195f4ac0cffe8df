"""PDR725: does the frequency governor hold the CPUs at their lowest frequency?"""

from pipedoctor.check import (
    CannotJudge,
    Finding,
    Findings,
    Lasts,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import Cpu, Site
from pipedoctor_checks._shared.advice import apply_on_host

AUTONOMOUS_DRIVERS = frozenset({"intel_pstate", "amd-pstate-epp"})
"""Drivers whose own `powersave` raises the frequency with the load."""
_GOVERNORS = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"


@check("PDR725", "The frequency governor keeps the CPUs at their lowest frequency", fix="machine")
def cpu_governor_slow(cpu: Cpu, site: Site | None = None, /) -> Findings:
    """
    Look for a governor that never raises the frequency.

    ## Why it hurts

    The generic governor `powersave` keeps every CPU at its lowest allowed frequency,
    regardless of load.

    ## How it is judged

    Only the governor `powersave` of a driver that leaves the choice to the generic
    governors is a note. The drivers intel_pstate and amd-pstate-epp have their own
    `powersave`, which follows the load: that is the usual default, and is not reported.

    ## Sources

    - https://docs.kernel.org/admin-guide/pm/cpufreq.html
    - https://docs.kernel.org/admin-guide/pm/intel_pstate.html
    - https://docs.kernel.org/admin-guide/pm/amd-pstate.html
    """
    if not cpu.governor or not cpu.scaling_driver:
        message = "cpu: frequency scaling is not visible, as in most virtual machines"
        raise CannotJudge(message)
    if cpu.governor != "powersave" or cpu.scaling_driver in AUTONOMOUS_DRIVERS:
        return
    summary = f"governor powersave of {cpu.scaling_driver} keeps the CPUs at the lowest"
    now, best = cpu.frequency, cpu.max_frequency
    clock = f": {now / 1e9:.1f} of {best / 1e9:.1f} GHz" if now and best else ""
    yield Finding(
        severity=Severity.NOTE,
        summary=f"{summary} frequency{clock}",
        evidence={
            "cpu.governor": cpu.governor,
            "cpu.scaling_driver": cpu.scaling_driver,
            "cpu.frequency": now,
            "cpu.max_frequency": best,
        },
        remedies=apply_on_host(
            site,
            Remedy(
                title="Set the frequency governor to performance",
                argv=_set_governor("performance"),
                undo=_set_governor(cpu.governor),
                verify=("cat", _GOVERNORS.replace("*", "0")),
                lasts=Lasts.BOOT,
                root=True,
                advice=True,
            ),
            "Have the frequency governor set to performance on the host",
        ),
    )


def _set_governor(name: str) -> tuple[str, ...]:
    """By the kernel's own files: cpupower is seldom installed."""
    return ("sh", "-c", f"echo {name} | tee {_GOVERNORS}")
