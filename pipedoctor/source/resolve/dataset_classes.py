"""Classes whose items are loaded, of torch and of others, and those made from them."""

from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope

MAP_DATASETS = {
    "torch.utils.data.Dataset",
    "torch.utils.data.dataset.Dataset",
    "torch.utils.data.Subset",
    "torch.utils.data.ConcatDataset",
    "torch.utils.data.dataset.ConcatDataset",
    "torch.utils.data.dataset.Subset",
    "torch.utils.data.TensorDataset",
    "torch_geometric.data.Dataset",
    "torch_geometric.data.InMemoryDataset",
    "monai.data.Dataset",
    "monai.data.CacheDataset",
    "pytorch_lightning.LightningDataset",
    "mmcv.BaseDataset",
    "mmengine.dataset.BaseDataset",
}
ITERABLE_DATASETS = {
    "torch.utils.data.IterableDataset",
    "torch.utils.data.dataset.IterableDataset",
    "torch.utils.data.IterDataPipe",
    "torchdata.datapipes.iter.IterDataPipe",
}
FRAMEWORK_DATASETS = (
    "torchvision.datasets.",
    "torchtext.datasets.",
    "torchaudio.datasets.",
)
ITEM_METHODS = ("__getitem__", "__getitems__", "__iter__")
_LIBRARY_METHODS = {"__getitem__": "get", "__len__": "len"}
"""Of torch_geometric: what its methods call in the classes that derive from its datasets."""


def classify_dataset(project: Project, cls: ClassDefinition) -> str:
    """How a class gives its items: ``map``, ``iterable``; empty: it is no dataset."""
    known, foreign = project.find_bases(cls)
    names = set(foreign)
    if names & ITERABLE_DATASETS:
        return "iterable"
    if names & MAP_DATASETS or any(name.startswith(FRAMEWORK_DATASETS) for name in names):
        return "map"
    if cls.name.endswith(("Sampler", "DataLoader", "Model", "Module")):
        return ""
    named = any(one.name.endswith("Dataset") for one in known)
    has_item = project.find_method(cls, "__getitem__") is not None
    stem = any(n.rpartition(".")[2].endswith("Dataset") for n in names if n)
    known_so = has_item and (named or stem) and _imports_torch(project, cls)
    return "map" if known_so else ""


def list_item_methods(project: Project, cls: ClassDefinition, style: str) -> tuple[str, ...]:
    """The methods that a loader calls for items, itself or by a library."""
    own = ITEM_METHODS if style == "iterable" else ITEM_METHODS[:-1]
    return (*own, _LIBRARY_METHODS["__getitem__"]) if _is_of_graphs(project, cls) else own


def find_dataset_method(project: Project, cls: ClassDefinition, name: str) -> CodeScope | None:
    """``__getitem__`` or ``__len__`` of a dataset, or what the library calls in its place."""
    found = project.find_method(cls, name)
    if found is None and _is_of_graphs(project, cls):
        return project.find_method(cls, _LIBRARY_METHODS[name])
    return found


def _is_of_graphs(project: Project, cls: ClassDefinition) -> bool:
    return any(name.startswith("torch_geometric.data.") for name in project.find_bases(cls)[1])


def _imports_torch(project: Project, cls: ClassDefinition) -> bool:
    known, _ = project.find_bases(cls)
    return any(
        name.startswith("torch") for one in known for name in one.module.imported_names.values()
    )
