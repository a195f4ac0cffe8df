"""PDR212: does `__len__` compute or read?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import HeavyLength
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.own_names import choose_expression


@check("PDR212", "__len__ of a dataset computes or reads data", subject="item", merges=True)
def heavy_len(source: Source, /) -> Findings:
    """
    Look for loops and reading in `__len__`.

    ## Why it hurts

    torch asks for the length several times an epoch (four times, measured on 2.13),
    and again for each `len(loader)`.

    ## How it is judged

    `__len__` of a dataset has a loop or a comprehension, or calls something that reads.
    A value computed once under a condition is not reported.

    ## Bad example

    ```python
    class Records(Dataset):
        def __len__(self):
            return sum(1 for _ in open("train.txt"))
    ```

    ## Good example

    ```python
    class Records(Dataset):
        def __init__(self):
            with open("train.txt") as file:
                self.count = sum(1 for _ in file)

        def __len__(self):
            return self.count
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    for event in source.select_events(HeavyLength):
        yield make_code_finding(
            [event.at],
            Severity.NOTE,
            f"{event.function} computes the length again on each call",
            in_code("Compute it once, in __init__", _compute_once(event.details.result)),
            confidence=Confidence.LIKELY,
            what=event.name,
        )


def _compute_once(result: str) -> str:
    whole = choose_expression(result, "")
    return f"self.length = {whole}  # in __init__\n\nreturn self.length" if whole else ""
