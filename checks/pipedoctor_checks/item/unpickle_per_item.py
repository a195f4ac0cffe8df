"""PDR205: does every item unpickle objects?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import Unpickling
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import name_array_file, read_first_argument


@check("PDR205", "Objects are unpickled for every item", subject="item", merges=True)
def unpickle_per_item(source: Source, /) -> Findings:
    """
    Look for pickles that are loaded for every item.

    ## Why it hurts

    Unpickling builds the objects one by one, and a pickle from an untrusted source can
    run any code.

    ## How it is judged

    `pickle.load`, `torch.load`, `joblib.load` or `np.load(allow_pickle=True)` is called
    in code that runs for items. Plain arrays are not pickles, and a file that the class
    has saved itself is its cache.

    ## Bad example

    ```python
    class Tensors(Dataset):
        def __getitem__(self, index):
            return torch.load(self.files[index])
    ```

    ## Good example

    ```python
    class Tensors(Dataset):
        def __getitem__(self, index):
            return torch.from_numpy(np.load(self.files[index]))
    ```

    ## Sources

    - https://docs.python.org/3/library/pickle.html
    - https://docs.pytorch.org/docs/stable/generated/torch.load.html
    """
    events = [
        e
        for e in source.select_item_events(Unpickling)
        if not e.details.lazy and not e.details.saved
    ]
    for group in group_by_class(events):
        first = group[0]
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE,
            f"{first.function} unpickles objects for every item",
            in_code("Store plain arrays or safetensors", _load_array(first)),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )


def _load_array(event: Event[Unpickling]) -> str:
    """Code in the names of the code; empty: what is read is no path."""
    path = read_first_argument(event.details.text)
    file = name_array_file(path)
    return f"np.load({file}, mmap_mode='r')  # stored once with np.save" if path else ""
