"""PDR932: Workers copy the dataset's Python objects page by page."""

from pipedoctor.check import Remedy, Severity, in_code
from pipedoctor.facts.log import Log
from pipedoctor_checks.crashes._log_check import log_check


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Store what grows otherwise: the attribute that the log's code fills, if it shows one."""
    name = log.find_value("worker_memory_growth_cow", "attr")
    source = f"self.{name}" if name else "paths"
    return (
        in_code(
            "Store what describes the samples in arrays, tensors or Arrow, not in lists and"
            " dictionaries",
            f"self.{name or 'paths'} = np.array({source}, dtype=np.bytes_)  # not a list of str",
        ),
        in_code("Use fewer workers"),
    )


@log_check(
    "PDR932",
    "Workers copy the dataset's Python objects page by page",
    summary=(
        "Every worker copies the dataset's Python objects page by page, because reference"
        " counts are written"
    ),
    remedies=_choose_remedies,
    severity=Severity.RISKS,
)
def worker_memory_growth_cow() -> None:
    """
    Find memory that grows with every sample and every worker.

    ## Why it hurts

    Forked workers share the parent's pages until one of them is written to, and Python
    writes a reference count whenever it accesses an object. A dataset that holds large
    lists or dictionaries is copied by every worker, page by page, until memory runs
    out.

    ## How it is judged

    The log shows memory that grows through an epoch with workers, or mentions the
    copying.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/13246
    - https://docs.pytorch.org/docs/stable/data.html
    """
