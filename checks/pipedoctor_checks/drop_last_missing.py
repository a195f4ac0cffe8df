"""PDR109: may the last batch be too small for BatchNorm?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import arguments
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at, called, told


@check("PDR109", "The last batch may hold a single sample")
def drop_last_missing(source: Source, /) -> Findings:
    """
    Look for training loaders that keep a last batch of any size, with BatchNorm.

    ## Why it hurts

    With a single sample left over, BatchNorm in training mode raises ValueError:
    Expected more than 1 value per channel. It shows at the end of the first epoch,
    and only for some sizes of the data set.

    ## How it is judged

    The loader feeds a loop that trains, and no other as far as its call tells,
    `drop_last` is not written, all arguments are seen, and BatchNorm (or a ResNet) is
    used in the project. The size of the data set is not known, so this is possible,
    never certain.

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html
    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """
    yield from alike(source, _found(source))


def _found(source: Source) -> Findings:
    for loader in source.loaders:
        last = loader.get("drop_last")
        decided = last.how == "literal"
        off = not decided and (last.how == "absent" or (last.known and not last.value))
        size = loader.get("batch_size")
        alone = size.how == "absent" or (size.value == 1 and size.how != "default")
        batched = loader.get("batch_sampler").how != "absent"
        shuffle = loader.get("shuffle")
        named = loader.target or "train" in loader.function.lower()
        both = not named and shuffle.how != "absent" and not shuffle.known
        trains = not both and any(source.loops[n].role == "train" for n in loader.fed)
        if not off or alone or batched or loader.role == "eval" or loader.testing:
            continue
        if trains and loader.batch_norm:
            yield at(
                [loader.at],
                Severity.NOTE,
                f"{called(loader)} may end with a batch of one: not for BatchNorm",
                in_code(
                    "Drop it",
                    "DataLoader(..., drop_last=True)",
                    edits=arguments(loader, drop_last="True")
                    if last.how == "absent"
                    else (),
                    unsafe="the last samples of an epoch are left out, and all of them"
                    " where they do not fill a batch",
                ),
                confidence=Confidence.POSSIBLE,
                drop_last=told(last),
            )
