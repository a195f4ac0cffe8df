"""What libraries call in workers for each item, where no dataset of the project does."""

import ast
from collections.abc import Iterator, Mapping

from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.dataset_classes import FRAMEWORK_DATASETS
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.call_arguments import find_call_argument
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import ChosenValue, ExternalValue, LoaderValue, Value, Values

_COMPOSING_LIBRARIES = ("torchvision.", "albumentations.", "monai.", "torch_geometric.")
_LIST_METHODS = ("append", "insert", "extend")
"""How transforms are added to what composes them: ``train.transforms.insert(0, cut)``."""
_ITEM_ARGUMENTS: Mapping[str, tuple[str, str, int]] = {
    "set_transform": ("datasets", "transform", 0),
    "with_transform": ("datasets", "transform", 0),
    "map": ("webdataset", "f", 0),
    "compose": ("webdataset", "f", 0),
    "build_detection_train_loader": ("detectron2", "mapper", 1),
    "build_detection_test_loader": ("detectron2", "mapper", 2),
    "Trainer": ("transformers", "data_collator", 2),
    "Seq2SeqTrainer": ("transformers", "data_collator", 2),
}
"""By the last name of a call: the library it is of, and the argument that runs for items."""
SEEDING_CALLS = frozenset(("build_detection_train_loader",))
"""Of these: whose library seeds numpy in each worker (detectron2's `worker_init_reset_seed`)."""
_REGISTRY_WORDS = ("transform", "pipeline", "augment")
"""Parts of the names of registries (mmcv, mmengine, own ones) whose classes change items."""
_TRANSFORM_METHODS = ("__call__", "transform")
_CONTAINER_METHODS = (
    "keys",
    "append",
    "__setitem__",
    "__contains__",
    "forward",
    "update",
    "__next__",
)
_INDEX_NAMES = frozenset(
    (
        *("index", "idx", "i", "item", "ix", "ind", "indx", "idxs", "n", "item_id", "index_"),
        *("sample_idx", "data_idx", "img_idx", "image_index", "item_idx", "_", "id", "num"),
    )
)


def find_item_arguments(project: Project) -> Iterator[tuple[ast.expr, CallSite]]:
    """What calls of libraries are given to be called for items."""
    for site in project.find_call_sites("Compose"):
        full = project.full_name_of(site.node.func, site.scope.module)
        if full.startswith(_COMPOSING_LIBRARIES):
            yield from ((one, site) for one in _list_arguments(site.node))
    for site in _find_foreign_datasets(project):
        yield from ((one, site) for one in _list_arguments(site.node))
    for name in _LIST_METHODS:
        for site in project.find_call_sites(name):
            func = site.node.func
            added = isinstance(func, ast.Attribute) and last_name(func.value) == "transforms"
            if added and isinstance(func, ast.Attribute) and isinstance(func.value, ast.Attribute):
                yield from ((one, site) for one in site.node.args)
    for name, (library, parameter, position) in _ITEM_ARGUMENTS.items():
        for site in project.find_call_sites(name):
            given = find_call_argument(site.node, parameter, position)
            if given is not None and site.scope.module.imports_any((library,)):
                yield given, site
    for cls in project.classes:
        if any(_is_trainer(name) for name in project.find_bases(cls)[1]):
            for site in project.find_call_sites(cls.name):
                given = find_call_argument(site.node, "data_collator", -1)
                if given is not None:
                    yield given, site


def _is_trainer(name: str) -> bool:
    """A Trainer of transformers or trl, by the full name of the class."""
    return name.startswith(("transformers.", "trl.")) and name.endswith("Trainer")


def _find_foreign_datasets(project: Project) -> Iterator[CallSite]:
    """``ImageFolder(root, transform=Own(), loader=read)``, and of classes that derive from it."""
    for module in project.modules:
        if not module.imports_any(("torchvision", "torchaudio")):
            continue
        for name, places in module.calls_by_name.items():
            if project.resolve_name(name, module).startswith(FRAMEWORK_DATASETS):
                for scope, step in module.steps_at(places):
                    if isinstance(step.node, ast.Call):
                        yield CallSite(scope, step, step.node)
    for cls in project.classes:
        if any(name.startswith(FRAMEWORK_DATASETS) for name in project.find_bases(cls)[1]):
            yield from project.find_call_sites(cls.name)


def _list_arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(word.value for word in call.keywords)]


def find_registered_methods(project: Project) -> Iterator[tuple[CodeScope, ClassDefinition]]:
    """Methods of classes that a registry hands to a library: ``@TRANSFORMS.register_module()``."""
    for cls in project.classes:
        if cls.module.is_test or not any(map(_registers_transform, cls.node.decorator_list)):
            continue
        for name in _TRANSFORM_METHODS:
            method = project.find_method(cls, name)
            if method is not None:
                yield method, cls


def _registers_transform(decorator: ast.expr) -> bool:
    """``TRANSFORMS.register()``, ``register_transform("noise")``."""
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    owner = last_name(func.value) if isinstance(func, ast.Attribute) else ""
    how = last_name(func).lower()
    name = (owner or how).lower()
    return "register" in how and any(word in name for word in _REGISTRY_WORDS)


def is_made_elsewhere(values: Values) -> bool:
    """Does a text choose the dataset of a loader: ``build(config)``, ``eval(name)()``?"""
    return not values or all(map(_is_chosen, values))


def _is_chosen(value: Value) -> bool:
    if isinstance(value, (LoaderValue, ChosenValue)):
        return isinstance(value, ChosenValue)
    return isinstance(value, ExternalValue) and not value.name.startswith(_KNOWN_MAKERS)


_KNOWN_MAKERS = ("torch", "datasets.", "monai.", "webdataset.", "timm.", "numpy.", "range", "list")
"""Libraries whose datasets are known for what they are."""


def is_chosen_dataset(project: Project, cls: ClassDefinition) -> bool:
    """
    Has a class items by their index and a length, and does nobody make it by its name?

    Where a loader is given what a text chooses, such a class is one of these.
    """
    item, length = cls.methods.get("__getitem__"), project.find_method(cls, "__len__")
    if item is None or length is None or len(item.given_names) != 1 or cls.module.is_test:
        return False
    if item.given_names[0] not in _INDEX_NAMES or project.find_call_sites(cls.name):
        return False
    return not any(project.find_method(cls, name) for name in _CONTAINER_METHODS)
