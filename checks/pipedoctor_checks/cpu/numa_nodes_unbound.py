"""PDR726: do several ranks float over several memory nodes?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Lasts,
    Place,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import Cpu, Loader


@check("PDR726", "Ranks are not bound to NUMA nodes")
def numa_nodes_unbound(cpu: Cpu, loader: Loader | None, /) -> Findings:
    """
    See whether ranks may run on CPUs of more than one memory (NUMA) node.

    ## Why it hurts

    Memory of another node is slower to access. If a worker fills a batch on one node
    and its rank copies it to a GPU from another node, the job pays twice. PyTorch's
    documentation puts the gain of binding at one to ten percent for most jobs; for some
    it is none.

    ## How it is judged

    Several ranks on a machine with several nodes that have CPUs, and an affinity mask
    that covers more than one of them, are a note. Binding done by a launcher after a
    rank has started is not visible from outside: likely, not certain.

    ## Sources

    - https://docs.pytorch.org/docs/main/elastic/numa.html
    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """
    nodes = [node for node in cpu.numa if node.cpus]
    if len(nodes) < 2 or cpu.nodes_allowed == 1:  # noqa: PLR2004  (more than one)
        return
    ranks = loader.ranks if loader else None
    if ranks is None or cpu.nodes_allowed is None:
        missing = "the number of ranks" if ranks is None else "the affinity mask"
        message = f"{missing} is not known"
        raise CannotJudge(message)
    if ranks == 1:
        return
    yield Finding(
        severity=Severity.NOTE,
        confidence=Confidence.LIKELY,
        summary=f"{ranks} ranks may run on any of {cpu.nodes_allowed} NUMA nodes",
        evidence={
            "cpu.numa": {str(node.node): node.cpus for node in nodes},
            "cpu.nodes_allowed": cpu.nodes_allowed,
            "loader.ranks": ranks,
        },
        remedies=(
            Remedy(
                title="Bind each rank to the NUMA node of its GPU, if torchrun supports it",
                argv=(
                    "torchrun",
                    "--numa-binding=node",
                    f"--nproc_per_node={ranks}",
                    "train.py",
                ),
                lasts=Lasts.PROCESS,
                place=Place.LAUNCHER,
                advice=True,
            ),
        ),
    )
