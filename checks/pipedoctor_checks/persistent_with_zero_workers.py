"""PDR104: is `persistent_workers` given to a loader without workers?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import arguments, plain
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, sure, told, without_workers


@check("PDR104", "Persistent workers, but no workers")
def persistent_with_zero_workers(source: Source, /) -> Findings:
    """
    Look for `persistent_workers` in a loader that has no workers.

    ## Why it hurts

    The constructor raises ValueError: the job ends before the first batch.

    ## How it is judged

    Both values are known: written there, followed through variables and dictionaries,
    or the defaults of options. Where a default decides, it is likely; a value that is
    computed from the number of workers is left alone. Where one of the two is an option
    that nobody sets, it is a risk: whoever sets it gets the error.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    yield from _asked_for(source)
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


def _asked_for(source: Source) -> Findings:
    """Loaders that raise once somebody sets an option of theirs."""
    for loader in source.loaders:
        value = loader.get("persistent_workers")
        workers = loader.get("num_workers")
        set_later = workers.how == "literal" and workers.value == 0
        option = value.form == "call" and ".get(" in value.text
        kept = value.value is True and value.why.startswith("default of ")
        free = workers.form == "parameter" and not workers.known
        if not ((set_later and option) or (kept and free)):
            continue
        name = "persistent_workers" if option else "num_workers=0"
        yield at(
            [loader.at, *([value.at] if value.at else [])],
            Severity.RISKS,
            f"{called(loader)} raises ValueError for whoever sets {name}",
            in_code(
                "Let it depend on the workers",
                "persistent_workers=persistent_workers and num_workers > 0",
            ),
            confidence=Confidence.POSSIBLE,
            persistent_workers=told(value),
            num_workers=told(workers),
        )
