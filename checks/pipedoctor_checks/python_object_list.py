"""PDR304: does a data set keep its index as Python objects?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots, together


@check("PDR304", "A long list of Python objects is copied by each worker")
def python_object_list(source: Source, /) -> Findings:
    """
    Look for lists of dictionaries, tuples and strings that a data set keeps.

    ## Why it hurts

    Reading an object changes its reference count, and so copies its page in each
    forked worker: a million dictionaries grew from 40 to 268 MB in two workers, an
    array of numpy stayed.

    ## How it is judged

    While a data set is made, a loop appends a dictionary, a tuple or a list to what
    is kept. How long it gets is not known, so this is possible only, and said once of a
    project.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/13246
    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """
    groups = list(by_class(source.of("object-list")))
    if groups:
        yield at(
            spots(event for group in groups for event in group),
            Severity.NOTE,
            f"{together(groups, 'keep')} a Python object for each sample",
            in_code("Keep columns: arrays of numpy, or a table of Arrow"),
            confidence=Confidence.POSSIBLE,
            kept_in=sorted({event.name for group in groups for event in group}),
        )
