"""PDR108: does a loader get a sampler and shuffle together?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import remove_argument
from pipedoctor.facts import Source
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    argument_confidence,
    argument_places,
    format_argument,
    loader_name,
)


@check("PDR108", "shuffle and sampler are mutually exclusive", fix="code", subject="loader")
def shuffle_with_sampler(source: Source, /) -> Findings:
    """
    Look for loaders with both `shuffle=True` and a sampler.

    ## Why it hurts

    The constructor raises ValueError: the sampler alone decides the order.

    ## How it is judged

    `shuffle` is known to be True, and the sampler is created in the call or right
    before it, so that it cannot be None.

    ## Bad example

    ```python
    sampler = torch.utils.data.WeightedRandomSampler(weights, num_samples=10_000)
    loader = DataLoader(dataset, batch_size=64, shuffle=True, sampler=sampler)
    ```

    ## Good example

    ```python
    sampler = torch.utils.data.WeightedRandomSampler(weights, num_samples=10_000)
    loader = DataLoader(dataset, batch_size=64, sampler=sampler)
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    for loader in source.loaders:
        shuffle = loader.get("shuffle")
        for name in ("sampler", "batch_sampler"):
            sampler = loader.get(name)
            made = sampler.form in {"call", "class"} and "None" not in sampler.text
            none = {f"if {sampler.text} is None", f"if not {sampler.text}"}
            if shuffle.is_known and shuffle.value is True and made and shuffle.why not in none:
                yield make_code_finding(
                    argument_places(loader, shuffle),
                    Severity.BREAKS,
                    f"{loader_name(loader)} gets shuffle=True and a {name}: ValueError",
                    in_code(
                        "Remove shuffle; the sampler decides the order",
                        edits=remove_argument(loader, "shuffle", "False")
                        if shuffle.how == "literal"
                        else (),
                    ),
                    confidence=argument_confidence(shuffle),
                    shuffle=format_argument(shuffle),
                    sampler=sampler.text,
                )
