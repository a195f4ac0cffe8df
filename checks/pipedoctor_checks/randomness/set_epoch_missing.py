"""PDR503: is the epoch never told to a DistributedSampler?"""

from collections.abc import Sequence

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import replace_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.program import SamplerConstruction
from pipedoctor.facts.source import Event, LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding

_EVALUATION_WORDS = ("val", "test", "eval", "infer", "predict")


@check(
    "PDR503", "DistributedSampler uses the same order in every epoch", fix="code", subject="loader"
)
def set_epoch_missing(source: Source, /) -> Findings:
    """
    Look for a DistributedSampler in a project that never calls `set_epoch`.

    ## Why it hurts

    The order of a DistributedSampler depends on its seed and its epoch: without
    `set_epoch` every epoch has the order of the first.

    ## How it is judged

    A DistributedSampler that shuffles is created, its loader trains in a loop over
    epochs, and `set_epoch` is never called. A loader that is called one to train with
    counts if no loop is seen to iterate it, and a loop that trains has no loader that is
    seen. Lightning, accelerate and others call `set_epoch` themselves.

    ## Bad example

    ```python
    sampler = torch.utils.data.DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=64, sampler=sampler)
    for epoch in range(90):
        for rows in loader:
            model(rows).backward()
    ```

    ## Good example

    ```python
    sampler = torch.utils.data.DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=64, sampler=sampler)
    for epoch in range(90):
        sampler.set_epoch(epoch)
        for rows in loader:
            model(rows).backward()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    """
    frameworks = [name for name in source.traits if name.startswith("framework:")]
    if "set_epoch" in source.traits or frameworks:
        return
    for event in source.select_events(SamplerConstruction):
        name, body = event.details.target, event.details.text or ""
        fixed = event.details.shuffle is False
        mine = [x for x in source.loaders if _gets_indices_from(x, event)]
        trains = any((x.role == "train" and x.repeats) or _may_feed(source, x) for x in mine)
        if trains and not fixed:
            yield make_code_finding(
                [event.at],
                Severity.BREAKS,
                f"{name or 'The sampler'} has the same order in every epoch: set_epoch is never"
                " called",
                in_code(
                    "Call set_epoch at the start of each epoch",
                    body.strip() or f"{_name_in_loop(source, event, mine)}.set_epoch(epoch)",
                    edits=replace_pieces(event, {"body": body}),
                ),
                confidence=Confidence.LIKELY,
            )


def _name_in_loop(
    source: Source, event: Event[SamplerConstruction], loaders: Sequence[LoaderCall]
) -> str:
    """By its own name, or where that is a local one of another function by its loader's."""
    name = event.details.target or "sampler"
    loops = [source.loops[number] for one in loaders for number in one.fed]
    seen = not loops or any(x.function == event.function for x in loops)
    held = [x.target for x in loaders if x.target and x.get("sampler").how != "absent"]
    return name if seen or "." in name or not held else f"{held[0]}.sampler"


def _may_feed(source: Source, loader: LoaderCall) -> bool:
    """Is it called a loader to train with, and trains a loop that nobody is seen to feed?"""
    given = loader.get("dataset").text
    name = f"{loader.target} {loader.function} {given}".lower()
    fits = "train" in name and not any(word in name for word in _EVALUATION_WORDS)
    loops = [x for x in source.loops if x.role == "train" and x.repeats and not x.loaders]
    return fits and not loader.fed and not loader.testing and bool(loops)


def _gets_indices_from(loader: LoaderCall, event: Event[SamplerConstruction]) -> bool:
    """Is it given this sampler, itself or within a batch sampler?"""
    given = [loader.get("sampler"), loader.get("batch_sampler")]
    target = event.details.target
    return any(one.at == event.at or (target and target in one.text) for one in given)
