"""PDR910: was the loader stopped by its CPU quota while it was measured?"""

import math

from pipedoctor.check import Counterfactual, Findings, check, grant_cpus, select_remedies
from pipedoctor.facts import Cpu, Pipeline, Site
from pipedoctor_checks.bottlenecks._bottleneck_finding import match_bottleneck, report_bottleneck
from pipedoctor_checks.bottlenecks._setting_advice import advise_setting


@check("PDR910", "The CPU quota throttles the loader", after=("PDR720",))
def bottleneck_cpu_quota(pipeline: Pipeline, cpu: Cpu | None, site: Site | None, /) -> Findings:
    """
    See how often the control group was throttled while the loader ran.

    ## Why it hurts

    A group that has used up its quota stops until the period of 100 ms is over, main
    process and workers alike. More workers use it up sooner.

    ## How it is judged

    `check --measure TARGET` runs the loader: a quota is the tightest CPU limit, and the
    group was throttled in more than a fifth of its periods. The gain shown is for all
    CPUs that the process sees, else for twice the quota.

    ## Sources

    - https://docs.kernel.org/scheduler/sched-bwc.html
    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    """
    found = match_bottleneck(pipeline, "cpu-quota")
    if found is None:
        return
    wanted = max(
        math.ceil(pipeline.cpus) + 1, cpu.visible_cpus if cpu else 2 * math.ceil(pipeline.cpus)
    )
    yield report_bottleneck(
        pipeline,
        found,
        *select_remedies(
            site.launcher if site else None,
            *grant_cpus("Give the job more CPUs", wanted),
        ),
        *advise_setting(pipeline),
        counterfactual=Counterfactual(cores=float(wanted)),
    )
