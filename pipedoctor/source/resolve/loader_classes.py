"""Classes that load batches, and the order of their parameters."""

TORCH_LOADERS = frozenset(
    (
        "torch.utils.data.DataLoader",
        "torch.utils.data.dataloader.DataLoader",
        "torchdata.stateful_dataloader.StatefulDataLoader",
    )
)
LOADER_CLASSES = TORCH_LOADERS | {
    "torch_geometric.loader.DataLoader",
    "torch_geometric.data.DataLoader",
    "monai.data.DataLoader",
    "monai.data.dataloader.DataLoader",
    "torch_geometric.loader.DataListLoader",
    "torch_geometric.data.DataListLoader",
    "torch_geometric.loader.DenseDataLoader",
    "torch_geometric.data.DenseDataLoader",
    "dgl.dataloading.GraphDataLoader",
    "torchio.SubjectsLoader",
    "torchio.data.SubjectsLoader",
    "streaming.StreamingDataLoader",
    "webdataset.WebLoader",
}
"""Those of libraries hand what they are given on to DataLoader, with its defaults."""
STAR_IMPORTED_NAMES = {
    "torch.utils.data.DataLoader",
    "torch.utils.data.Dataset",
    "torch.utils.data.IterableDataset",
    "torch.utils.data.TensorDataset",
    "torch.utils.data.dataloader.DataLoader",
}
"""What ``from torch.utils.data import *`` binds."""
LOADER_PARAMETERS = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "generator",
)
"""Those of DataLoader that a position can fill, in order."""
