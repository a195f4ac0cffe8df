"""PDR910: was the loader stopped by its CPU quota while it was measured?"""

import math

from pipedoctor.check import Counterfactual, Findings, check
from pipedoctor.facts import Cpu, Pipeline, Site
from pipedoctor.remedy import fitting, grant_cpus
from pipedoctor_checks._bottleneck import cause, faster_setting, said


@check("PDR910", "The CPU quota stops the loader", after=("PDR720",))
def bottleneck_cpu_quota(
    seen: Pipeline, cpu: Cpu | None, site: Site | None, /
) -> Findings:
    """
    See how often the control group was stopped while the loader ran.

    ## Why it hurts

    A group that has used up its quota stands still until the period of 100 ms is over,
    main process and workers alike. More workers use it up sooner.

    ## How it is judged

    `check --measure TARGET` runs the loader: a quota is what binds, and the group was
    stopped in more than a fifth of its periods. The gain that is shown is that of all
    CPUs which the process sees, else of twice the quota.

    ## Sources

    - https://docs.kernel.org/scheduler/sched-bwc.html
    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    """
    found = cause(seen, "cpu-quota")
    if found is None:
        return
    wanted = max(
        math.ceil(seen.cpus) + 1, cpu.visible if cpu else 2 * math.ceil(seen.cpus)
    )
    yield said(
        seen,
        found,
        *fitting(
            site.habitat if site else None,
            *grant_cpus("Give the job more CPUs", wanted),
        ),
        *faster_setting(seen),
        counterfactual=Counterfactual(cores=float(wanted)),
    )
