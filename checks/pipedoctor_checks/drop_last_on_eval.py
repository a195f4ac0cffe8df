"""PDR113: does evaluation leave out the last samples?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import without
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, sure, told


@check("PDR113", "The end of the evaluation data is never scored")
def drop_last_on_eval(source: Source, /) -> Findings:
    """
    Look for `drop_last=True` in loaders that evaluate.

    ## Why it hurts

    Up to a batch of samples is never scored, and not the same ones for another batch
    size: metrics differ for no reason that the model has.

    ## How it is judged

    The loader evaluates by its name or its loop; `drop_last` is known to be True;
    batches of one sample drop nothing. A call that shuffles in some cases serves
    training, too, and is left alone.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """
    yield from alike(source, _found(source))


def _found(source: Source) -> Findings:
    for loader in source.loaders:
        last, size = loader.get("drop_last"), loader.get("batch_size")
        alone = size.how == "absent" or (size.value == 1 and size.how != "default")
        trains = any(source.loops[n].role == "train" for n in loader.fed)
        shuffle = loader.get("shuffle")
        serves_both = shuffle.how != "absent" and not shuffle.known
        drawn = "WeightedRandomSampler" in loader.get("sampler").text
        left = alone or trains or serves_both or drawn or loader.testing
        if loader.role != "eval" or left:
            continue
        if last.known and last.value is True:
            yield at(
                [loader.at],
                Severity.RISKS,
                f"{called(loader)} evaluates, but leaves out the last samples",
                in_code(
                    "Keep them",
                    "DataLoader(..., drop_last=False)",
                    edits=without(loader, "drop_last", "False")
                    if last.how == "literal"
                    else (),
                    unsafe="the metrics change: they count every sample then",
                ),
                confidence=sure(last),
                drop_last=told(last),
            )
