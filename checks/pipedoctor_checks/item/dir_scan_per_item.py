"""PDR206: does every item list a folder?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import DirectoryScan
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import choose_name


@check("PDR206", "A folder is listed for every item", subject="item", merges=True)
def dir_scan_per_item(source: Source, /) -> Findings:
    """
    Look for folders that are listed again for every item.

    ## Why it hurts

    The whole folder is read to find one file: in a folder of 10,000 files `os.listdir`
    took 3.6 ms and `glob` 12 ms on a local disk, and takes far more over a network.

    ## How it is judged

    `os.listdir`, `os.scandir`, `os.walk` or a glob is called in code that runs for
    items. A listing in `__init__` is fine; one that depends on the type of the
    requested item is not reported.

    ## Bad example

    ```python
    class Images(Dataset):
        def __init__(self, folder):
            self.folder = folder

        def __getitem__(self, index):
            name = sorted(os.listdir(self.folder))[index]
            return Image.open(os.path.join(self.folder, name))
    ```

    ## Good example

    ```python
    class Images(Dataset):
        def __init__(self, folder):
            self.folder = folder
            self.names = np.array(sorted(os.listdir(folder)))

        def __getitem__(self, index):
            return Image.open(os.path.join(self.folder, self.names[index]))
    ```

    ## Sources

    - https://docs.python.org/3/library/os.html#os.scandir
    - https://docs.python.org/3/library/glob.html
    """
    events = [
        e
        for e in source.select_item_events(DirectoryScan)
        if not e.details.lazy and not e.details.by_type
    ]
    for group in group_by_class(events):
        first = group[0]
        yield make_code_finding(
            list_spots(group),
            Severity.SLOWS,
            f"{first.function} lists a folder for every item",
            in_code(
                "List it once, in __init__",
                _list_once(first),
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )


def _list_once(event: Event[DirectoryScan]) -> str:
    attribute = f"self.{choose_name(event.details.kept, 'names')}"
    listing = event.details.text
    if not listing or listing.endswith("..."):
        return ""
    return f"{attribute} = sorted({listing})  # in __init__; read {attribute} where it is needed"
