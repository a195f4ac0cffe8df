"""What functions of libraries do with the loaders that they are given."""

from collections.abc import Mapping

KNOWN_BUILTINS = frozenset(
    (
        *("iter", "next", "anext", "enumerate", "zip", "getattr", "vars"),
        *("dict", "OrderedDict", "super"),
    )
)
"""Functions of Python itself whose results are known."""
PASSED_ON = frozenset(
    (
        *("tqdm", "trange", "track", "progress_bar", "progressbar", "ProgressBar", "Progress"),
        *("islice", "cycle", "chain", "repeat", "reversed", "list", "tuple", "sorted"),
        *("log_every", "metric_logger", "prepare_data_loader", "MpDeviceLoader"),
        *("ParallelLoader", "per_device_loader", "copy", "deepcopy", "cast", "tee"),
        *("auto_dataloader", "prepare_dataloader", "skip_first_batches", "alive_it"),
        *("BackgroundGenerator", "peekable", "prefetch", "setup_dataloaders", "prepare"),
        *("distributed_dataloader", "shard_dataloader", "wrap_dataloader", "timed", "Bar"),
        *("CombinedLoader",),
    )
)
"""Functions, by their last name, whose result gives the elements of their argument."""
WRAPPERS = frozenset(
    (
        *("DataParallel", "DistributedDataParallel", "DDP", "FullyShardedDataParallel", "FSDP"),
        *("compile", "Subset", "ConcatDataset", "ChainDataset", "as_tensor"),
    )
)
"""Classes of libraries whose objects stand for what they are given: models, datasets."""
SPLITS = frozenset(("random_split",))
"""Functions that return a list of parts of their argument."""
SELF_RETURNING = frozenset(
    ("cuda", "to", "eval", "train", "half", "float", "double", "cpu", "bfloat16")
)
"""Methods of a module that return the module itself."""
SEVERAL_PASSED_ON = frozenset(("prepare", "setup_dataloaders", "setup"))
"""Those that return as many objects as they are given."""
ITEM_TAKERS = frozenset(("random.choice", "random.sample", "random.choices", "numpy.random.choice"))
"""Functions that draw from what they are given."""
PARAMETER_NAMES = frozenset(("iterable", "loader", "dataloader", "data_loader", "it", "total"))
"""Parameters by which wrappers are given a loader."""
NAMESPACES: Mapping[str, str] = {
    "types.SimpleNamespace": "https://docs.python.org/3/library/types.html",
    "argparse.Namespace": "https://docs.python.org/3/library/argparse.html",
    "easydict.EasyDict": "https://pypi.org/project/easydict/",
    "addict.Dict": "https://pypi.org/project/addict/",
    "munch.Munch": "https://pypi.org/project/munch/",
    "dict": "https://docs.python.org/3/library/stdtypes.html#dict",
    "collections.OrderedDict": "https://docs.python.org/3/library/collections.html",
}
"""What holds its keyword arguments as attributes or items, with its source."""
MODULE_IMPORTERS: Mapping[str, str] = {
    "importlib.import_module": "https://docs.python.org/3/library/importlib.html",
    "__import__": "https://docs.python.org/3/library/functions.html#import__",
}
"""What imports a module by a text."""
OBJECT_MAKERS: Mapping[str, str] = {
    "tyro.cli": "https://brentyi.github.io/tyro/",
    "simple_parsing.parse": "https://github.com/lebrice/SimpleParsing",
    "pyrallis.parse": "https://github.com/eladrich/pyrallis",
    "draccus.parse": "https://github.com/dlwh/draccus",
    "omegaconf.OmegaConf.structured": "https://omegaconf.readthedocs.io/",
    "hydra.utils.instantiate": "https://hydra.cc/docs/advanced/instantiate_objects/overview/",
}
"""What makes an object of the class that it is given, by the command line or a file."""
OBJECT_PARSERS: Mapping[str, str] = {
    "parse_args_into_dataclasses": "https://huggingface.co/docs/transformers/internal/trainer_utils",
    "parse_json_file": "https://huggingface.co/docs/transformers/internal/trainer_utils",
    "parse_yaml_file": "https://huggingface.co/docs/transformers/internal/trainer_utils",
    "parse_dict": "https://huggingface.co/docs/transformers/internal/trainer_utils",
    "parse_args_and_config": "https://huggingface.co/docs/trl/main/en/script_utils",
}
"""Methods of a parser that make one object of each class that it was made with."""
RUNNERS: Mapping[str, str] = {
    "fire.Fire": "https://google.github.io/python-fire/guide/",
    "typer.run": "https://typer.tiangolo.com/tutorial/first-steps/",
    "absl.app.run": "https://abseil.io/docs/python/guides/app",
}
"""What runs the function that it is given, with arguments of the command line."""
