"""What each function of a stack is: the user's, of a library, or a part of torch's loader."""

import enum
import functools
from collections.abc import Sequence

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.watch.stacks.frame_reader import RemoteFrame

LOADER_PATTERN = compile_lazily(
    r"/torch/utils/data/dataloader\.py$|/torchdata/stateful_dataloader/\w+\.py$"
    r"|/torchdata/nodes/|/nvidia/dali/plugin/|/ffcv/loader/"
)
_LIBRARY_PATTERN = compile_lazily(
    r"/(site|dist)-packages/|/lib(64)?/python3\.\d+/|^<|/pipedoctor/live/"
)
_INTERACTIVE_PATTERN = compile_lazily(r"^<(stdin|ipython)|/ipykernel_\d|^<string>$")
_MODEL_PATTERN = compile_lazily(
    r"/torch/(nn|optim|autograd|_dynamo|_inductor|distributed|amp|cuda|fx)/"
    r"|/torch/(_tensor|_compile)\.py$"
)
_QUEUE_PATTERN = compile_lazily(r"/(multiprocessing/(queues|connection|synchronize)|queue)\.py$")
_RECEIVE_PATTERN = compile_lazily(r"/multiprocessing/(reductions?|resource_sharer)\.py$")
_TORCH_MARK = "/torch/utils/data/"
"""In the paths of the loader's files; before it lies the folder of all that was installed."""


class FunctionRole(enum.Enum):
    """What a function is to the loader."""

    USER = enum.auto()
    LIBRARY = enum.auto()
    LOADER = enum.auto()
    WORKER_LOOP = enum.auto()
    FETCH = enum.auto()
    COLLATE = enum.auto()
    QUEUE = enum.auto()
    RECEIVE = enum.auto()
    MODEL = enum.auto()
    IMPORT = enum.auto()


@functools.lru_cache(maxsize=16384)
def classify_function(path: str, name: str) -> FunctionRole:  # noqa: PLR0911  (one for each kind)
    """What a function is, by its file and its qualified name."""
    bare = name.rpartition(".")[2]
    if path.endswith("/torch/utils/data/_utils/worker.py") and bare == "_worker_loop":
        return FunctionRole.WORKER_LOOP
    if path.endswith("/torch/utils/data/_utils/fetch.py"):
        return FunctionRole.FETCH
    if path.endswith("/torch/utils/data/_utils/collate.py"):
        return FunctionRole.COLLATE
    for pattern, found in (
        (LOADER_PATTERN, FunctionRole.LOADER),
        (_RECEIVE_PATTERN, FunctionRole.RECEIVE),
        (_QUEUE_PATTERN, FunctionRole.QUEUE),
        (_MODEL_PATTERN, FunctionRole.MODEL),
    ):
        if pattern.search(path):
            return found
    if path.startswith("<frozen importlib"):
        return FunctionRole.IMPORT
    if _INTERACTIVE_PATTERN.search(path) or not _LIBRARY_PATTERN.search(path):
        return FunctionRole.USER
    return FunctionRole.LIBRARY


def label_frames(frames: Sequence[RemoteFrame], folder: str = "") -> list[FunctionRole]:
    """
    What each function is; `folder`: see `find_target_folder`, if that is known already.

    Who installs into a folder of his own, as ``pip install --target`` does, has written
    nothing in there, unless there is code nowhere else.
    """
    labels = [classify_function(frame.code.path, frame.code.name) for frame in frames]
    folder = folder or find_target_folder(frames)
    if not folder:
        return labels
    user, library = FunctionRole.USER, FunctionRole.LIBRARY
    found = [
        library if role is user and frame.code.path.startswith(folder) else role
        for frame, role in zip(frames, labels, strict=True)
    ]
    return found if user in found else labels


def find_target_folder(frames: Sequence[RemoteFrame]) -> str:
    """The folder that torch is installed in, where its name does not tell; empty: none."""
    paths = (frame.code.path for frame in frames if _TORCH_MARK in frame.code.path)
    path = next(paths, "")
    folder = path[: path.find(_TORCH_MARK) + 1]
    return "" if not folder or _LIBRARY_PATTERN.search(folder) else folder


def find_user_frame(
    frames: Sequence[RemoteFrame], labels: Sequence[FunctionRole]
) -> RemoteFrame | None:
    """The innermost frame of the user's own code."""
    own = (f for f, found in zip(frames, labels, strict=True) if found is FunctionRole.USER)
    return next(own, None)
