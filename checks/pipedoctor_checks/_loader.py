"""Loaders in code: their arguments, how these are known, and their workers."""

from pipedoctor.check import Confidence
from pipedoctor.facts import Source
from pipedoctor.facts.source import Argument, LoaderCall


def told(argument: Argument) -> str:
    """``4 (default of --workers)``: a value, and how it is known."""
    if argument.how == "absent":
        return "not given"
    if not argument.known:
        return f"{argument.text} (not known)"
    how = argument.why or argument.how
    return str(argument.value) if how == "literal" else f"{argument.value} ({how})"


def sure(*arguments: Argument) -> Confidence:
    """Certain where it is written there; likely where it was followed."""
    plain = all(argument.how in {"literal", "absent"} for argument in arguments)
    return Confidence.CERTAIN if plain else Confidence.LIKELY


def called(loader: LoaderCall) -> str:
    """A loader by the name of its variable."""
    return loader.target.removeprefix("self.") or "A DataLoader"


def without_workers(loader: LoaderCall) -> bool:
    """Are there certainly no workers: 0 written, or nothing at all?"""
    workers = loader.get("num_workers")
    return workers.how == "absent" or (workers.known and workers.value == 0)


def with_workers(loader: LoaderCall) -> bool:
    """Are there workers, as far as the code tells?"""
    workers = loader.get("num_workers")
    known = isinstance(workers.value, int) and workers.value > 0
    return known or workers.form == "cpu count"


def only_copies(loader: LoaderCall) -> bool:
    """Do its workers make nothing, but hand over what lies in memory (PDR111)?"""
    light = loader.dataset is not None and loader.dataset.light
    collates = loader.get("collate_fn").how != "absent"
    return light and not collates and with_workers(loader)


def tells(source: Source) -> bool:
    """Is a data set told something between epochs, which kept workers never hear?"""
    epochs = any(event.details.get("dataset") for event in source.of("epoch-set"))
    return epochs or any(e.details.get("repeats") for e in source.of("dataset-told"))


def works(loader: LoaderCall) -> bool:
    """Is it known to do more for an item than to pick it from memory?"""
    return loader.collates or (loader.dataset is not None and not loader.dataset.light)


def tried_out(source: Source, loader: LoaderCall) -> bool:
    """Is its data set only tried out, under the main guard of the file that has it?"""
    made = loader.dataset.at if loader.dataset else None
    here = made is not None and made.path == loader.at.path and not made.cell
    trains = any(source.loops[number].role == "train" for number in loader.fed)
    return here and loader.function == "<module>" and not (loader.unguarded or trains)


def may_have_workers(loader: LoaderCall) -> bool:
    """Neither known to have none, nor a case for tests."""
    return not without_workers(loader)
