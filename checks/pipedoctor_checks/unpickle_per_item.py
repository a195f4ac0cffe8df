"""PDR205: does every item unpickle objects?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR205", "Objects are unpickled for every item")
def unpickle_per_item(source: Source, /) -> Findings:
    """
    Look for pickles that are loaded for every item.

    ## Why it hurts

    Unpickling builds the objects one by one, and a pickle from elsewhere runs the
    code that it holds.

    ## How it is judged

    `pickle.load`, `torch.load`, `joblib.load` or `np.load(allow_pickle=True)` is
    called in code that runs for items. Plain arrays are no pickles, and what the class
    has saved itself is its cache.

    ## Sources

    - https://docs.python.org/3/library/pickle.html
    - https://docs.pytorch.org/docs/stable/generated/torch.load.html
    """
    events = [
        e
        for e in source.per_item("unpickle")
        if not e.details.get("lazy") and not e.details.get("saved")
    ]
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.NOTE,
            f"{first.function} unpickles for every item",
            in_code("Keep plain arrays or safetensors", "np.load(path, mmap_mode='r')"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
