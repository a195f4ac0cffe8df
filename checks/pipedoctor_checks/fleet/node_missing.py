"""PDR784: which nodes did not report?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts.fleet import Fleet
from pipedoctor_checks.fleet._outlier import format_nodes


@check("PDR784", "A node that should have reported did not")
def node_missing(fleet: Fleet, /) -> Findings:
    """
    Compare the nodes in --expect, names or a number, with those that reported.

    ## Why it hurts

    A node that is down, hangs at boot or cannot reach the shared folder writes no
    report, so that it cannot be an outlier: silence looks like health.

    ## How it is judged

    Each expected name without a readable report is missing. A name without a domain
    also matches a node that reported with one. If only a number is expected, the
    difference is missing.

    ## Sources

    - https://slurm.schedmd.com/scontrol.html#OPT_hostnames
    - https://github.com/NVIDIA/NVSentinel/issues/298
    """
    if fleet.expected is None:
        reason = "no --expect given"
        raise CannotJudge(reason)
    names = fleet.missing
    count = fleet.expected - fleet.reported if names is None else len(names)
    if count <= 0:
        return
    yield Finding(
        severity=Severity.RISKS,
        summary=f"{format_nodes(count)} of {fleet.expected} did not report",
        evidence={"missing": list(names or ()), "count": count},
    )
