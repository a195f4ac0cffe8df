"""Datasets as facts: the class whose items a loader is given."""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipedoctor.facts.source import Dataset
from pipedoctor.source.detect.item.item_work import has_light_items
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.dataset_classes import FRAMEWORK_DATASETS, ITEM_METHODS
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall
from pipedoctor.source.resolve.returned_values import is_abstract
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import ClassDefinition
from pipedoctor.source.values.lattice import ExternalValue, InstanceValue

_IN_MEMORY_DATASETS = (
    "torch.utils.data.TensorDataset",
    "torch.utils.data.dataset.TensorDataset",
)


def find_dataset(recorder: EventRecorder, loader: ResolvedLoaderCall) -> Dataset | None:
    """What a loader is given: a class of the project, or one of a framework."""
    given = loader.arguments.get("dataset")
    if given is None:
        return None
    values = recorder.loader_flow.evaluate_argument(loader, "dataset")
    instances = [one for one in values if isinstance(one, InstanceValue)]
    classes = {one.cls.full_name: one.cls for one in instances}
    known = [cls for name, cls in sorted(classes.items()) if name in recorder.call_graph.datasets]
    known = [cls for cls in known if not _leaves_items_open(recorder, cls)] or known
    if known:
        made_by = [one.call for one in instances if one.cls is known[0]]
        return _project_dataset(recorder, known[0], made_by)
    names = {one.name for one in values if isinstance(one, ExternalValue)}
    return _framework_dataset(names.pop()) if len(names) == 1 else None


def _leaves_items_open(recorder: EventRecorder, cls: ClassDefinition) -> bool:
    """Is it a base class: do the classes that derive from it say what an item is?"""
    methods = (recorder.project.find_method(cls, name) for name in ITEM_METHODS)
    own = [one for one in methods if one is not None]
    return bool(own) and all(map(is_abstract, own))


def _project_dataset(
    recorder: EventRecorder, cls: ClassDefinition, made_by: Sequence[ast.Call | None]
) -> Dataset:
    style = recorder.call_graph.dataset_style[cls.full_name]
    light = has_light_items(recorder, cls.full_name, made_by)
    return Dataset(
        name=cls.full_name,
        at=node_location(cls.module, cls.node),
        style="iterable" if style == "iterable" else "map",
        light=light and not _leaves_items_open(recorder, cls),
        bases=tuple(_list_bases_with_its_items(recorder, cls)),
    )


def _list_bases_with_its_items(recorder: EventRecorder, cls: ClassDefinition) -> Iterator[str]:
    """The classes from which it has its items as they are; none, where it has its own."""
    lineage = recorder.project.find_bases(cls)[0]
    for one, base in pairwise(lineage):
        if any(name in one.methods for name in ITEM_METHODS):
            return
        yield base.full_name


def _framework_dataset(name: str) -> Dataset | None:
    """A dataset of a framework, by its full name."""
    if name in _IN_MEMORY_DATASETS:
        return Dataset(name=name, style="map", light=True)
    if name.startswith(FRAMEWORK_DATASETS):
        streams = name.startswith("torchtext.")
        return Dataset(name=name, style="iterable" if streams else "map")
    return None
