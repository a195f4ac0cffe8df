"""PDR108: does a loader get a sampler and shuffle together?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import without
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, sure, told


@check("PDR108", "Both shuffle and a sampler")
def shuffle_with_sampler(source: Source, /) -> Findings:
    """
    Look for `shuffle=True` beside a sampler.

    ## Why it hurts

    The constructor raises ValueError: a sampler decides the order alone.

    ## How it is judged

    `shuffle` is known to be True, and the sampler is made there and then, so that it
    cannot be None.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    for loader in source.loaders:
        shuffle = loader.get("shuffle")
        for name in ("sampler", "batch_sampler"):
            sampler = loader.get(name)
            made = sampler.form in {"call", "class"} and "None" not in sampler.text
            if shuffle.known and shuffle.value is True and made:
                yield at(
                    [shuffle.at or loader.at],
                    Severity.BREAKS,
                    f"{called(loader)} gets shuffle=True and a {name}: ValueError",
                    in_code(
                        "Leave shuffle out, the sampler decides the order",
                        edits=without(loader, "shuffle", "False")
                        if shuffle.how == "literal"
                        else (),
                    ),
                    confidence=sure(shuffle),
                    shuffle=told(shuffle),
                    sampler=sampler.text,
                )
