"""
Events of the code that makes one item; it runs in the workers.

Each example stands in ``__getitem__(self, index)`` of a dataset, unless it is a class.
"""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from pipedoctor.facts.code_events.details import EventDetails, RecordedDetails


class ItemCall(EventDetails, frozen=True, kw_only=True):
    """A call of a well-known function that opens, reads, parses or waits."""

    text: str
    """The call as it is written, in short."""
    managed: bool
    """A ``with`` closes what it opens."""
    lazy: bool
    """Only done where nothing is there yet: ``if self.rows is None:``."""
    own: bool
    """A container that belongs to this one item."""
    kept: str
    """The variable that holds the result: ``rows``, ``self.rows``."""
    used: bool
    """The result is closed, returned or passed on in the same function."""
    once: bool
    """The whole function is only called where nothing is there yet, or is cached."""
    saved: bool
    """The same class writes what it reads: a cache of its own."""
    by_type: bool
    """Only done for arguments of another type."""
    ahead: str | UnsetType = UNSET
    """`TextParse`: code of ``__init__`` that parses all files: ``self.parsed = [...]``."""
    bounded: bool | UnsetType = UNSET
    """`NetworkRequest`: it has a timeout."""
    parsed: str | UnsetType = UNSET
    """`TextParse`: what replaces the call then: ``self.parsed[index]``."""


class TextParse(ItemCall, frozen=True, kw_only=True):
    """
    Text is parsed.

        rows = np.loadtxt(self.files[index])
    """

    kind: ClassVar[str] = "text-parse"


class Unpickling(ItemCall, frozen=True, kw_only=True):
    """
    A pickle is read.

        sample = torch.load(self.files[index])
    """

    kind: ClassVar[str] = "unpickle"


class DirectoryScan(ItemCall, frozen=True, kw_only=True):
    """
    A directory is listed.

        names = os.listdir(self.files[index])
    """

    kind: ClassVar[str] = "dir-scan"


class PathScan(RecordedDetails, frozen=True, kw_only=True):
    """
    A directory is listed by a method of a path.

        names = list(self.root.glob("*.png"))
    """

    kind: ClassVar[str] = DirectoryScan.kind

    text: str = ""
    """The call as it is written, in short."""


class Sleep(ItemCall, frozen=True, kw_only=True):
    """
    The worker sleeps.

        time.sleep(0.1)
    """

    kind: ClassVar[str] = "sleep"


class NetworkRequest(ItemCall, frozen=True, kw_only=True):
    """
    Something is fetched over the network.

        page = requests.get(self.files[index])
    """

    kind: ClassVar[str] = "network"


class ContainerOpening(ItemCall, frozen=True, kw_only=True):
    """
    A container of many items is opened.

        rows = h5py.File(self.root)["rows"]
    """

    kind: ClassVar[str] = "container-open"


class ProcessStart(ItemCall, frozen=True, kw_only=True):
    """
    Another program is run.

        subprocess.run(["ffmpeg", "-i", self.files[index]])
    """

    kind: ClassVar[str] = "subprocess"


class TransformConstruction(ItemCall, frozen=True, kw_only=True):
    """
    A pipeline of transforms is built.

        transform = transforms.Compose([transforms.ToTensor()])
    """

    kind: ClassVar[str] = "transform-built"


class ImageOpening(ItemCall, frozen=True, kw_only=True):
    """
    An image is opened or decoded.

        image = Image.open(self.files[index])
    """

    kind: ClassVar[str] = "image-open"


class FileOpening(ItemCall, frozen=True, kw_only=True):
    """
    A file is opened.

        data = open(self.files[index], "rb").read()
    """

    kind: ClassVar[str] = "open"

    lines: str | UnsetType = UNSET
    unit: str | UnsetType = UNSET


class ArrayRead(ItemCall, frozen=True, kw_only=True):
    """
    An array or a sound is read.

        image = np.load(self.files[index])
    """

    kind: ClassVar[str] = "read"


class Print(EventDetails, frozen=True, kw_only=True):
    """
    Something is printed.

        print("loading", index)
    """

    kind: ClassVar[str] = "print"

    refuses: bool
    """It reports a sample that is rejected, or a wrong argument."""


class SwallowedError(EventDetails, frozen=True, kw_only=True):
    """
    An error disappears, and with it a sample.

        try:
            return Image.open(self.files[index])
        except Exception:
            return self[0]
    """

    kind: ClassVar[str] = "swallowed"


class UnboundedRetry(EventDetails, frozen=True, kw_only=True):
    """
    Samples are tried until one is good, however long that takes.

        while True:
            try:
                return Image.open(self.files[index])
            except OSError:
                index += 1
    """

    kind: ClassVar[str] = "unbounded-retry"

    shrinks: bool
    """Bad samples are removed, so that it ends."""


class CudaUse(EventDetails, frozen=True, kw_only=True):
    """
    The GPU is used.

        image = torch.zeros(3).cuda()
    """

    kind: ClassVar[str] = "cuda"

    sure: bool
    """Always true: the code names CUDA itself."""
    tensor: str | UnsetType = UNSET
    """What is moved, as it is written: ``torch.zeros(3)``."""
    call: str | UnsetType = UNSET
    """What moves it: ``torch.zeros(3).cuda()``."""


class RandomDraw(EventDetails, frozen=True, kw_only=True):
    """
    A random number is drawn from a global generator.

        angle = np.random.uniform(0, 360)
    """

    kind: ClassVar[str] = "draw"


class CacheKeyMismatch(EventDetails, frozen=True, kw_only=True):
    """
    A cache is searched for one key, and filled under another.

        if index not in self.cache:
            self.cache[str(index)] = 1
    """

    kind: ClassVar[str] = "missed-key"

    asked: str
    """The key that it is searched for, as code."""
    kept: str
    """The key that it is filled under, as code."""


class IgnoredIndex(EventDetails, frozen=True, kw_only=True):
    """
    The item does not depend on the index.

        class Images(Dataset):
            def __getitem__(self, index):
                return Image.open(random.choice(self.files))
    """

    kind: ClassVar[str] = "index-ignored"

    parity: bool
    """Only whether the index is even is looked at."""
