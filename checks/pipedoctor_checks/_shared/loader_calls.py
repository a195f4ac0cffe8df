"""Loaders in code: their arguments, how these are known, and their workers."""

from collections.abc import Sequence

from pipedoctor.check import Confidence
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import DatasetUpdate, EpochUpdate
from pipedoctor.facts.code_events.item import CudaUse
from pipedoctor.facts.source import Argument, Event, LoaderCall, Spot


def format_argument(argument: Argument) -> str:
    """Format an argument's value and its origin: ``4 (default of --workers)``."""
    if argument.how == "absent":
        return "not given"
    if not argument.is_known:
        return f"{argument.text} (not known)"
    how = argument.why or argument.how
    return str(argument.value) if how == "literal" else f"{argument.value} ({how})"


def argument_confidence(*arguments: Argument) -> Confidence:
    """Certain if it is a literal; likely if it was traced."""
    plain = all(argument.how in {"literal", "absent"} for argument in arguments)
    return Confidence.CERTAIN if plain else Confidence.LIKELY


def loader_name(loader: LoaderCall, unnamed: str = "A DataLoader") -> str:
    """Name a loader by its variable; `unnamed`: one that is not assigned."""
    return loader.target.removeprefix("self.") or unnamed


def argument_places(loader: LoaderCall, argument: Argument) -> list[Spot]:
    """Where an argument is written in its call; or the call, and where its value is from."""
    there, call = argument.at, loader.at
    if there is None or there == call:
        return [call]
    last = call.end_line or call.line
    if there.path == call.path and there.cell == call.cell and call.line <= there.line <= last:
        return [there]
    return [call, there]


def has_no_workers(loader: LoaderCall) -> bool:
    """Are there certainly no workers: 0 written, or nothing at all?"""
    workers = loader.get("num_workers")
    return workers.how == "absent" or (workers.is_known and workers.value == 0)


def is_without_workers(loader: LoaderCall) -> bool:
    """Are there no workers, and is that no mere default of an option?"""
    return has_no_workers(loader) and loader.get("num_workers").how != "default"


def has_only_optional_workers(loaders: Sequence[LoaderCall]) -> bool:
    """Do their workers need an option that by default gives none?"""
    return bool(loaders) and all(map(has_no_workers, loaders))


def has_workers(loader: LoaderCall) -> bool:
    """Are there workers, as far as the code shows?"""
    workers = loader.get("num_workers")
    known = isinstance(workers.value, int) and workers.value > 0
    return known or workers.form == "cpu count"


def is_copy_only(loader: LoaderCall) -> bool:
    """Do its workers only copy data from memory (PDR111)?"""
    light = loader.dataset is not None and loader.dataset.light
    collates = loader.get("collate_fn").how != "absent"
    return light and not collates and has_workers(loader)


def is_updated_per_epoch(source: Source, loader: LoaderCall) -> bool:
    """Does the program change its dataset between epochs, unseen by persistent workers?"""
    return is_told_epoch(source, loader) or is_changed_outside(source, loader)


def is_told_epoch(source: Source, loader: LoaderCall) -> bool:
    """Is its dataset, or one that it may have, told the epoch?"""
    number = next(n for n, one in enumerate(source.loaders) if one is loader)
    return any(
        event.dataset and event.details.counts and may_be_told(event, number, loader)
        for event in source.select_events(EpochUpdate)
    )


def may_be_told(event: Event[EpochUpdate], number: int, loader: LoaderCall) -> bool:
    """May this loader have the dataset that is changed, where that one is not known?"""
    feeds = event.details.feeds
    if isinstance(feeds, str):
        return str(number) in feeds.split(",")
    made = loader.dataset if loader.dataset is not None and loader.dataset.at else None
    return made is None or made.name.rpartition(".")[2] == event.dataset


def is_changed_outside(source: Source, loader: LoaderCall) -> bool:
    """Does a file that makes or iterates it change the dataset of a loader, again and again?"""
    places = {loader.at.path, *(source.loops[number].at.path for number in loader.fed)}
    return any(
        event.details.repeats and event.at.path in places
        for event in source.select_events(DatasetUpdate)
    )


def has_item_work(loader: LoaderCall) -> bool:
    """Is it known to do more for an item than pick it from memory?"""
    return loader.collates or (loader.dataset is not None and not loader.dataset.light)


def dataset_classes(loader: LoaderCall) -> tuple[str, ...]:
    """The class of its dataset, and those whose items are its own; none: it is not known."""
    return loader.dataset.classes if loader.dataset else ()


def find_loaders_of(source: Source, dataset: str) -> list[LoaderCall]:
    """The loaders whose items a class of the project makes."""
    return [one for one in source.loaders if dataset in dataset_classes(one)]


def find_gpu_code(source: Source, loader: LoaderCall) -> str:
    """The function that makes its items or batches on the GPU (PDR301); empty: none."""
    collates = loader.get("collate_fn").name
    made = loader.dataset.name.rpartition(".")[2] if loader.dataset else ""
    return next(
        (
            event.function
            for event in source.select_item_events(CudaUse)
            if (collates and event.owner == collates)
            or (made and event.dataset.rpartition(".")[2] == made)
        ),
        "",
    )


def is_trial_dataset(source: Source, loader: LoaderCall) -> bool:
    """Is its dataset only tried out, under the main guard of its own file?"""
    made = loader.dataset.at if loader.dataset else None
    here = made is not None and made.path == loader.at.path and not made.cell
    trains = any(source.loops[number].role == "train" for number in loader.fed)
    return here and loader.function == "<module>" and not (loader.unguarded or trains)


def is_only_looked_at(source: Source, loader: LoaderCall) -> bool:
    """The same, in loops that neither train nor evaluate, of a file that trains nothing."""
    loops = [source.loops[number] for number in loader.fed]
    trains = any(one.at.path == loader.at.path and one.role for one in source.loops)
    return bool(loops) and not trains and is_trial_dataset(source, loader)


def may_have_workers(loader: LoaderCall) -> bool:
    """Neither known to have no workers, nor used for tests."""
    return not has_no_workers(loader)
