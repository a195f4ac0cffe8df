"""PDR104: is `persistent_workers` given to a loader without workers?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import arguments, plain
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, called, sure, told, without_workers


@check("PDR104", "Persistent workers, but no workers")
def persistent_with_zero_workers(source: Source, /) -> Findings:
    """
    Look for `persistent_workers` in a loader that has no workers.

    ## Why it hurts

    The constructor raises ValueError: the job ends before the first batch.

    ## How it is judged

    Both values are known: written there, followed through variables and dictionaries,
    or the defaults of options. Where a default decides, it is likely; a value that is
    computed from the number of workers is left alone.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    for loader in source.loaders:
        value = loader.get("persistent_workers")
        workers = loader.get("num_workers")
        name = "" if workers.how == "literal" else plain(loader, "num_workers")
        wanted = f"{name} > 0" if name else "False"
        if value.known and value.value is True and without_workers(loader):
            yield at(
                [value.at or loader.at],
                Severity.BREAKS,
                f"{called(loader)} keeps its workers, but has none: ValueError",
                in_code(
                    "Let it depend on the workers",
                    "persistent_workers=num_workers > 0",
                    edits=arguments(loader, persistent_workers=wanted)
                    if value.how == "literal"
                    else (),
                ),
                confidence=sure(value, workers),
                persistent_workers=told(value),
                num_workers=told(workers),
            )
