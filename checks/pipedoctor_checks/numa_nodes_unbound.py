"""PDR726: do several ranks float over several memory nodes?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Cpu, Loader
from pipedoctor.remedy import Lasts, Place, Remedy


@check("PDR726", "Ranks are not bound to memory nodes")
def numa_nodes_unbound(cpu: Cpu, loader: Loader | None, /) -> Findings:
    """
    Ask whether ranks may run on CPUs of more than one memory (NUMA) node.

    ## Why it hurts

    Memory of another node is slower to reach. A worker that fills a batch on one
    node for a rank that copies it to its GPU from the other pays that twice.
    PyTorch's documentation puts the gain of binding at one to ten percent for most
    jobs; for some it is none.

    ## How it is judged

    Several ranks on a machine with several nodes that have CPUs, and an affinity
    mask that covers more than one of them, are a note. Launchers that bind each
    rank after it has started cannot be seen from outside: likely, not certain.

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
        summary=f"{ranks} ranks may run on any of {cpu.nodes_allowed} memory nodes",
        evidence={
            "cpu.numa": {str(node.node): node.cpus for node in nodes},
            "cpu.nodes_allowed": cpu.nodes_allowed,
            "loader.ranks": ranks,
        },
        remedies=(
            Remedy(
                title="Bind each rank to the node of its GPU, where torchrun can",
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
