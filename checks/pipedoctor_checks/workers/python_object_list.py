"""PDR304: does a dataset keep its index as Python objects?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import ObjectList
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
    name_functions,
)
from pipedoctor_checks._shared.loader_calls import find_loaders_of, is_without_workers
from pipedoctor_checks._shared.own_names import choose_expression

_PACKED = """\
import pickle

import numpy as np


class Packed:
    def __init__(self, objects):
        parts = [pickle.dumps(one, -1) for one in objects]
        self.ends = np.cumsum([0, *map(len, parts)])
        self.data = np.frombuffer(b"".join(parts), np.uint8)

    def __len__(self):
        return len(self.ends) - 1

    def __getitem__(self, index):
        index = range(len(self))[index]
        return pickle.loads(self.data[self.ends[index] : self.ends[index + 1]])


"""


@check("PDR304", "Each worker copies a long list of Python objects", subject="item")
def python_object_list(source: Source, /) -> Findings:
    """
    Look for lists of dictionaries, tuples and strings stored in a dataset.

    ## Why it hurts

    Reading an object changes its reference count, and so copies its memory page in each
    forked worker: a million dictionaries grew from 40 to 268 MB in two workers, a million
    strings from 35 to 175 MB; a numpy array did not grow. A list of some
    ten thousand samples costs a few megabytes: leave it as it is.

    ## How it is judged

    While a dataset is created, a loop puts a dictionary, a tuple, a string or a record of a
    class into a container stored in it; or a function that gives an object for each line, row
    or path makes the container whose elements are its items. Containers are followed through
    functions, attributes and the arguments of the dataset; what may hold arrays is not named,
    nor what is loaded by no workers. Its length is unknown, so the finding is only possible,
    and is reported once per project.

    ## Bad example

    ```python
    class Rows(Dataset):
        def __init__(self, names):
            self.rows = []
            for name in names:
                self.rows.append({"name": name, "label": len(name)})

        def __getitem__(self, index):
            return self.rows[index]
    ```

    ## Good example

    ```python
    class Rows(Dataset):
        def __init__(self, names):
            self.names = np.array(names)

        def __getitem__(self, index):
            return {"name": self.names[index], "label": len(self.names[index])}
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/issues/13246
    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """
    events = (e for e in source.select_events(ObjectList) if not _needs_no_sharing(source, e))
    groups = list(group_by_class(events))
    if groups:
        yield make_code_finding(
            list_spots(event for group in groups for event in group),
            Severity.NOTE,
            f"{name_functions(groups, 'keep')} a Python object for each sample:"
            " about 10 MB in each worker for 100,000 samples",
            in_code("Store columns as numpy arrays or an Arrow table", _pack_list(groups[0][0])),
            confidence=Confidence.POSSIBLE,
            kept_in=sorted({event.name for group in groups for event in group}),
        )


def _needs_no_sharing(source: Source, event: Event[ObjectList]) -> bool:
    """Do no workers load its dataset, as far as is known?"""
    mine = find_loaders_of(source, event.owner)
    return bool(mine) and all(map(is_without_workers, mine))


def _pack_list(event: Event[ObjectList]) -> str:
    """
    Code that keeps the same objects in one array of bytes; empty: it is no plain list.

    Source: detectron2.data.common.NumpySerializedList.
    """
    name = choose_expression(event.name, "") if event.details.filled is True else ""
    return f"{_PACKED}{name} = Packed({name})  # at the end of {event.function}" if name else ""
