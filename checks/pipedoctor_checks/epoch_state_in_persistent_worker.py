"""PDR505: is an epoch set on a data set whose workers live on?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import without_workers


@check("PDR505", "Workers never hear of a new epoch")
def epoch_state_in_persistent_worker(source: Source, /) -> Findings:
    """
    Look for an epoch that is set on a data set while its workers are kept.

    ## Why it hurts

    Persistent workers hold a copy from when they started: three epochs were 0, 0, 0
    for them. Schedules of augmentation and shuffling by epoch stand still.

    ## How it is judged

    The epoch is a plain attribute that items read, it is set in a loop over epochs,
    and a loader of this data set has `persistent_workers=True`. A tensor or a Value
    that is shared is left alone.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/97326
    - https://github.com/huggingface/datasets/issues/6673
    """
    for event in source.of("epoch-set"):
        name = str(event.details.get("dataset"))
        kept = [
            x
            for x in source.loaders
            if x.dataset
            and x.dataset.name.rpartition(".")[2] == name
            and x.get("persistent_workers").value is True
            and not without_workers(x)
        ]
        if kept and event.details.get("repeats"):
            there = kept[0].at
            yield at(
                [event.at],
                Severity.BREAKS,
                f"{event.name} of {name} is set for each epoch,"
                " but its workers keep the first",
                in_code(
                    "Share it",
                    "self.epoch = torch.zeros(1).share_memory_()",
                    kept="whether the epoch becomes a shared tensor, or the workers"
                    " start anew for each epoch, is for you to choose",
                ),
                confidence=Confidence.LIKELY,
                loader=f"{there.path}:{there.line}",
            )
