"""PDR214: does every item start a program?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import ProcessStart
from pipedoctor_checks._shared.code_finding import (
    group_by_file,
    group_by_function,
    list_spots,
    make_code_finding,
    name_functions,
)


@check("PDR214", "A program is started for every item", subject="item")
def subprocess_per_item(source: Source, /) -> Findings:
    """
    Look for programs that are started for every item.

    ## Why it hurts

    Starting a program takes at least 0.7 ms (measured with /bin/true), and the memory
    of the worker has to be mapped again for it.

    ## How it is judged

    `subprocess`, `os.system` or `os.popen` is called in code that runs for items.

    ## Bad example

    ```python
    import subprocess

    class Sounds(Dataset):
        def __getitem__(self, index):
            return subprocess.check_output(["sox", self.files[index], "-t", "raw", "-"])
    ```

    ## Good example

    ```python
    import soundfile

    class Sounds(Dataset):
        def __getitem__(self, index):
            return soundfile.read(self.files[index])[0]
    ```

    ## Sources

    - https://docs.python.org/3/library/subprocess.html
    """
    events = [e for e in source.select_item_events(ProcessStart) if not e.details.lazy]
    for group in group_by_file(events):
        first = group[0]
        functions = list(group_by_function(group))
        yield make_code_finding(
            list_spots(group),
            Severity.SLOWS,
            f"{name_functions(functions, 'start')} a program for every item",
            in_code("Use a decoder that runs in the process"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )
