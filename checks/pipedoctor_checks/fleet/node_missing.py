"""PDR784: which nodes did not report?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts.fleet import Fleet
from pipedoctor_checks.fleet._outlier import format_nodes


@check("PDR784", "A node that should have reported did not")
def node_missing(fleet: Fleet, /) -> Findings:
    """
    Compare the nodes that --expect names, or counts, with those that reported.

    ## Why it hurts

    A node that is down, hangs at boot or cannot reach the shared folder writes no
    report, so nothing of it can stand out: silence looks like health.

    ## How it is judged

    Each expected name without a readable report is missing. A name without a domain
    also stands for the node that reported with one. Where only a number is expected,
    as many are missing as reported too few.

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
