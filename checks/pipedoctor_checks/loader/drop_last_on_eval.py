"""PDR113: does evaluation leave out the last samples?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import remove_argument
from pipedoctor.facts import Source
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    argument_confidence,
    format_argument,
    loader_name,
)
from pipedoctor_checks._shared.merge_per_file import merge_per_file


@check("PDR113", "Evaluation skips the last samples", fix="code", subject="loader", merges=True)
def drop_last_on_eval(source: Source, /) -> Findings:
    """
    Look for `drop_last=True` in loaders that evaluate.

    ## Why it hurts

    Up to one batch of samples is never scored, and a different set for each batch size:
    metrics change although the model does not.

    ## How it is judged

    The loader is used for evaluation, by its name or its loop, and `drop_last` is known
    to be True; or it is made for several parts of the data at once, one of which is named
    like that (`for part in ("train", "val")`). Batches of one sample drop nothing. A call that
    shuffles in some cases also serves training, and is not reported.

    ## Bad example

    ```python
    val_loader = DataLoader(dataset, batch_size=64, drop_last=True)
    ```

    ## Good example

    ```python
    val_loader = DataLoader(dataset, batch_size=64)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """
    yield from merge_per_file(source, _judge_loaders(source))


def _judge_loaders(source: Source) -> Findings:
    for loader in source.loaders:
        last, size = loader.get("drop_last"), loader.get("batch_size")
        alone = size.how == "absent" or (size.value == 1 and size.how != "default")
        trains = any(source.loops[n].role == "train" for n in loader.fed)
        shuffle = loader.get("shuffle")
        serves_both = shuffle.how != "absent" and not shuffle.is_known
        drawn = "WeightedRandomSampler" in loader.get("sampler").text
        left = alone or drawn or loader.testing
        if left or not (
            loader.evaluates or (loader.role == "eval" and not (trains or serves_both))
        ):
            continue
        if last.is_known and last.value is True:
            yield make_code_finding(
                loader.places,
                Severity.RISKS,
                f"{loader_name(loader)} drops the last samples of the evaluation data",
                in_code(
                    "Evaluate all samples",
                    "DataLoader(..., drop_last=False)",
                    edits=remove_argument(loader, "drop_last", "False")
                    if last.how == "literal"
                    else (),
                    unsafe="the metrics change, because they then include every sample",
                ),
                confidence=argument_confidence(last),
                drop_last=format_argument(last),
            )
