"""PDR308: is a sample of a cache changed in place?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import CachedSampleMutation
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import choose_name


@check("PDR308", "A cached sample is modified in place", subject="item")
def cached_sample_mutated(source: Source, /) -> Findings:
    """
    Look for samples that are taken from a container on `self` and written to.

    ## Why it hurts

    The cache then holds the modified array: the next epoch augments data that is
    already augmented.

    ## How it is judged

    A variable is bound to an element of `self.x[...]`, or of a container of the class, and
    then written to by index, in place (`x += noise`, for an array) or by a method or function
    that changes it (`x.update(...)`, `x["image"].mul_(2)`, `random.shuffle(x)`), without a copy
    in between; here, or in a function or transform that is given the element. A selection by
    an array of indices is already a copy.

    ## Bad example

    ```python
    class Rows(Dataset):
        def __getitem__(self, index):
            sample = self.samples[index]
            sample[0] = 0.0
            return sample
    ```

    ## Good example

    ```python
    class Rows(Dataset):
        def __getitem__(self, index):
            sample = self.samples[index].clone()
            sample[0] = 0.0
            return sample
    ```

    ## Sources

    - https://numpy.org/doc/stable/user/basics.copies.html
    """
    events = source.select_item_events(CachedSampleMutation)
    for group in group_by_class(events):
        first = group[0]
        yield make_code_finding(
            list_spots(group),
            Severity.BREAKS,
            f"{first.function} modifies a sample stored in {first.name}",
            in_code("Copy the sample first", _copy_sample(first)),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )


def _copy_sample(event: Event[CachedSampleMutation]) -> str:
    sample = choose_name(event.details.variable, "sample")
    return f"import copy\n\n{sample} = copy.deepcopy({sample})  # before it is changed"
