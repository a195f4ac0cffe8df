"""PDR932: Workers copy the dataset's Python objects page by page."""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        (
            "Keep what describes the samples in arrays, tensors or "
            "Arrow, not in lists and dictionaries"
        ),
        ("self.paths = np.array(paths, dtype=np.bytes_)  # not a list of str"),
    ),
    in_code("Use fewer workers"),
)


@check("PDR932", "Workers copy the dataset's Python objects page by page")
def worker_memory_growth_cow(log: Log, site: Site | None, /) -> Findings:
    """
    Find memory that grows with every sample and every worker.

    ## Why it hurts

    Forked workers share the parent's pages until somebody writes to them, and
    Python writes a reference count whenever it looks at an object. A dataset that
    holds large lists or dictionaries is copied by every worker, page by page, until
    memory runs out.

    ## How it is judged

    The log shows memory that rises through an epoch with workers, or names the
    copying.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/13246
    - https://docs.pytorch.org/docs/stable/data.html
    """
    yield from told(
        log,
        site,
        "worker_memory_growth_cow",
        (
            "Every worker copies the dataset's Python objects page by page, as "
            "reference counts are written"
        ),
        *_REMEDIES,
        severity=Severity.RISKS,
    )
