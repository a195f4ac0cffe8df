"""PDR780: which nodes have a version or a setting that hardly any of their kind has?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts.fleet import Fleet, PropertyColumn
from pipedoctor_checks.fleet._outlier import MIN_NODES, build_outlier, list_compared_columns


@check("PDR780", "A node has a version or a setting that its peers do not have")
def node_category_outlier(
    fleet: Fleet,
    /,
    *,
    population: float = 0.05,
    no_norm: float = 0.2,
    fewest: int = MIN_NODES,
) -> Findings:
    """
    Compare versions, settings and states of each node with those of its group.

    ## Why it hurts

    A job on many nodes runs at the pace of the slowest node and fails with the first
    crash. One node with another NCCL, driver or image starts normally and then makes all
    others hang in the first collective, with no message that points to it.

    ## How it is judged

    Nodes with the same GPU model are compared with each other. A value that at least
    `population` of a group have is a population, as in a rolling update, and not an
    outlier. If rarer values together make up more than `no_norm` of the group, there is
    no norm: every node has its own value. Groups of fewer than `fewest` nodes are not
    judged.

    ## Sources

    - https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html
    - https://github.com/NVIDIA/NVSentinel/issues/298
    """
    for group, column in list_compared_columns(fleet, "category", fewest):
        node_count = column.node_count
        rare = _find_rare(column, population * node_count)
        if sum(len(column.holders[one]) for one in rare) > max(1, no_norm * node_count):
            continue
        usual = (column.values[0], len(column.holders[0]))
        for one in rare:
            for node in column.holders[one]:
                yield build_outlier(group, column, node, column.values[one], usual)


def _find_rare(column: PropertyColumn, enough: float) -> list[int]:
    """Which of the values fewer nodes have than a population has."""
    return [
        place for place, holders in enumerate(column.holders) if place and len(holders) < enough
    ]
