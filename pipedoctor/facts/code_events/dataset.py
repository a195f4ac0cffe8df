"""Events of datasets: what they keep and change; examples lack only the usual imports."""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from pipedoctor.facts.code_events.details import EventDetails, RecordedDetails


class AttributeUse(EventDetails, frozen=True, kw_only=True):
    """Something that ``__init__`` keeps, and that a worker cannot share."""

    attribute: str
    """``self.file``"""
    used: bool
    """Code for items reads it."""
    renewed: bool
    """The worker makes its own."""
    closed: bool
    """``__init__`` closes it again."""
    spare: bool
    """Only read for samples that fail."""


class HandleAttribute(AttributeUse, frozen=True, kw_only=True):
    """
    A dataset keeps an open file.

        class Rows(Dataset):
            def __init__(self, path):
                self.file = h5py.File(path)

            def __getitem__(self, index):
                return self.file["rows"][index]
    """

    kind: ClassVar[str] = "keeps-handle"

    dropped: bool
    """Left out when the dataset is pickled."""
    part: str
    """An attribute that was taken from it: ``self.rows = self.file["rows"]``."""
    unlocked: bool
    """``lmdb.open(path, lock=False)``"""
    opening: str = ""
    """The call that opens it, as it is written, in short."""
    variables: str = ""
    """The variables of ``__init__`` that it is made from: ``root,name``."""


class GeneratorAttribute(AttributeUse, frozen=True, kw_only=True):
    """
    A dataset keeps a generator of random numbers.

        class Rows(Dataset):
            def __init__(self):
                self.rng = np.random.default_rng(0)

            def __getitem__(self, index):
                return self.rng.uniform()
    """

    kind: ClassVar[str] = "keeps-generator"


class LambdaAttribute(AttributeUse, frozen=True, kw_only=True):
    """
    A dataset keeps a lambda, which cannot be pickled.

        class Rows(Dataset):
            def __init__(self):
                self.scale = lambda row: row / 255

            def __getitem__(self, index):
                return self.scale(index)
    """

    kind: ClassVar[str] = "keeps-lambda"

    dropped: bool | UnsetType = UNSET
    part: str | UnsetType = UNSET
    unlocked: bool | UnsetType = UNSET
    """These three: the lambda is an argument of what opens a file; see `HandleAttribute`."""


class ObjectList(EventDetails, frozen=True, kw_only=True):
    """
    A list of Python objects grows while the dataset is made.

        class Rows(Dataset):
            def __init__(self, paths):
                self.rows = []
                for path in paths:
                    self.rows.append((path, len(path)))

            def __getitem__(self, index):
                return self.rows[index]
    """

    kind: ClassVar[str] = "object-list"

    filled: bool | UnsetType = UNSET
    """A list that is filled, or written as a comprehension, where it is found."""


class CounterUpdate(EventDetails, frozen=True, kw_only=True):
    """
    Code for items counts, each worker for itself.

        class Rows(Dataset):
            def __getitem__(self, index):
                self.count += 1
                return self.count
    """

    kind: ClassVar[str] = "counts"

    spare: bool
    """Only for samples that fail, or where somebody shares it."""


class CacheGrowth(EventDetails, frozen=True, kw_only=True):
    """
    A cache of the dataset grows by the item.

        class Rows(Dataset):
            def __init__(self):
                self.cache = {}

            def __getitem__(self, index):
                self.cache[index] = np.zeros(9)
                return self.cache[index]
    """

    kind: ClassVar[str] = "grows"

    handles: bool
    """It holds open files."""
    emptied: bool
    """The same function takes something out again."""
    bounded: bool
    """Its length is tested first."""
    asked: bool
    """Only where an argument of the dataset asks for it."""


class MemoizedFunction(EventDetails, frozen=True, kw_only=True):
    """
    The results of a function are kept without limit.

        class Rows(Dataset):
            def __getitem__(self, index):
                return self.read(index)

            @functools.lru_cache(maxsize=None)
            def read(self, index):
                return np.zeros(index)
    """

    kind: ClassVar[str] = "memoised"


class GlobalCacheGrowth(EventDetails, frozen=True, kw_only=True):
    """
    A dictionary of the module grows by the item.

        CACHE = {}

        class Rows(Dataset):
            def __getitem__(self, index):
                CACHE[index] = np.zeros(9)
                return CACHE[index]
    """

    kind: ClassVar[str] = "global-grows"

    emptied: bool
    """The same function takes something out again, or it only holds flags."""


class CachedSampleMutation(EventDetails, frozen=True, kw_only=True):
    """
    What was taken from a cache is written to.

        class Rows(Dataset):
            def __getitem__(self, index):
                row = self.rows[index]
                row[0] = 1
                return row
    """

    kind: ClassVar[str] = "mutates-cached"

    variable: str
    """The variable that is written to."""


class HandleReopening(RecordedDetails, frozen=True, kw_only=True):
    """
    A dataset opens a file where there is none yet, which ``__init__`` calls already.

        class Rows(Dataset):
            def __init__(self):
                self.file = None
                self.read()

            def read(self):
                if self.file is None:
                    self.file = h5py.File("rows.h5")
                return self.file["rows"]

            def __getitem__(self, index):
                return self.read()[index]
    """

    kind: ClassVar[str] = HandleAttribute.kind

    attribute: str
    used: bool
    renewed: bool
    closed: bool


class HeavyLength(EventDetails, frozen=True, kw_only=True):
    """
    The length of a dataset is computed again each time.

        class Rows(Dataset):
            def __getitem__(self, index):
                return index

            def __len__(self):
                return len(os.listdir("rows"))
    """

    kind: ClassVar[str] = "heavy-len"

    text: str
    """What takes long, as code; empty for a loop."""
    result: str = ""
    """The length, as code, where `__len__` does no more than return it."""


class EpochUpdate(EventDetails, frozen=True, kw_only=True):
    """
    A dataset is given the number of the epoch.

        class Rows(Dataset):
            def __init__(self):
                self.epoch = 0

            def __getitem__(self, index):
                return index + self.epoch

        dataset = Rows()
        for epoch in range(9):
            dataset.epoch = epoch
    """

    kind: ClassVar[str] = "epoch-set"

    dataset: str
    """The class."""
    repeats: bool
    """For each epoch."""
    feeds: str | UnsetType = UNSET
    """The loaders of this very object, where that is known: ``0,2``."""
    target: str = ""
    """What is assigned to, as code: ``dataset.epoch``; empty: it is not an assignment."""
    value: str = ""
    """What is assigned, as code."""
    counts: bool = True
    """It is the number of the epoch; otherwise something else that items read."""


class DatasetUpdate(EventDetails, frozen=True, kw_only=True):
    """
    The dataset of a loader is changed from outside.

        loader = DataLoader(load_rows())
        for epoch in range(9):
            loader.dataset.stage = epoch
    """

    kind: ClassVar[str] = "dataset-told"

    repeats: bool
    """For each epoch."""


class UnshardedIteration(EventDetails, frozen=True, kw_only=True):
    """
    An iterable dataset yields the same in every worker.

        class Rows(IterableDataset):
            def __iter__(self):
                yield from range(9)
    """

    kind: ClassVar[str] = "unsharded"
