"""Reports of fleets that tests of their formats share."""

from collections.abc import Callable

from pipedoctor.fleet.model import (
    FleetFinding,
    FleetNode,
    FleetReport,
    JudgedGroup,
    Outlier,
    Summary,
    SupersededReport,
    UnreadableReport,
)
from pipedoctor.fleet.output import (
    ansible,
    html,
    junit,
    kubectl,
    markdown,
    prometheus,
    sarif,
    slurm,
    text,
)
from pipedoctor.fleet.output import (
    json as as_json,
)

HOSTILE = "a\x1b[31m|b`c\n<script>@all #1 [x](y) =1+1 ../.. \u202e\x9b [bold]red[/]'\"$(id)"
SAID = "shm.size is 64.0 MiB (64.0 GiB on 98.0% of nodes with 8 x H100)"
FORMATS: dict[str, Callable[[FleetReport], str | bytes]] = {
    "text": lambda one: text.render(one, width=100, color=False, places="x"),
    "json": as_json.render,
    "markdown": markdown.render,
    "html": html.render,
    "junit": lambda one: junit.render(one, "note"),
    "sarif": lambda one: sarif.render(one, 1),
    "slurm": slurm.render,
    "kubectl": kubectl.render,
    "ansible": ansible.render,
    "prometheus": prometheus.render,
}


def outlier(node: str, **more: object) -> Outlier:
    given = {
        "node": node,
        "group": "8 x H100",
        "property": "shm.size",
        "value": 64 << 20,
        "majority": 64 << 30,
        "share": 0.98,
        "severity": "risks",
        "summary": f"{node}: {SAID}",
    }
    return Outlier(**{**given, **more})  # type: ignore[arg-type]


def fleet(*outliers: Outlier, **more: object) -> FleetReport:
    nodes = tuple(
        FleetNode(node=one.node, group=one.group, file="f.json", created="2026") for one in outliers
    )
    given = {
        "created": "2026-01-01T00:00:00Z",
        "seconds": 0.1,
        "groups": (JudgedGroup(group="8 x H100", nodes=len(nodes), judged=True),),
        "nodes": nodes,
        "outliers": outliers,
        "summary": Summary(risks=len(outliers), nodes=len(nodes)),
    }
    return FleetReport(**{**given, **more})  # type: ignore[arg-type]


def finding(*nodes: str, **more: object) -> FleetFinding:
    given = {
        "code": "PDR701",
        "name": "shm-too-small",
        "severity": "breaks",
        "title": "Too small",
        "count": len(nodes),
        "nodes": nodes,
    }
    return FleetFinding(**{**given, **more})  # type: ignore[arg-type]


WHOLE = fleet(
    outlier("h1"),
    outlier(
        "h2",
        property="gpu.count",
        value=7,
        majority=8,
        severity="breaks",
        summary="h2: gpu.count is 7 (8 on 98.0% of nodes with 8 x H100)",
    ),
    outlier("h3", property="site.release", severity="note"),
    findings=(finding("h1"), finding(*(f"x{n}" for n in range(30)), name="other")),
    missing=("gone",),
    superseded=(SupersededReport(file="old.json", node="h1", by="f.json"),),
    unreadable=(UnreadableReport(file="half.json", reason="empty"),),
    summary=Summary(risks=1, breaks=1, nodes=3, fit=1, missing=1, unreadable=1),
)
ODD = fleet(
    outlier(
        HOSTILE,
        group=HOSTILE,
        property=f"packages.{HOSTILE}",
        value=HOSTILE,
        majority=HOSTILE,
        summary=f"{HOSTILE}: {HOSTILE}",
    ),
    findings=(finding(HOSTILE, code=HOSTILE, name=HOSTILE, title=HOSTILE),),
    missing=(HOSTILE,),
    superseded=(SupersededReport(file=HOSTILE, node=HOSTILE, by=HOSTILE),),
    unreadable=(UnreadableReport(file=HOSTILE, reason=HOSTILE),),
    groups=(JudgedGroup(group=HOSTILE, nodes=1, judged=False, why=HOSTILE),),
)


def written(name: str, report: FleetReport) -> str:
    found = FORMATS[name](report)
    return found if isinstance(found, str) else found.decode()
