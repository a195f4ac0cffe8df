"""What runs for every item, and what looks like it but does not."""

from collections.abc import Callable

from pipedoctor.check import Finding, Severity

Find = Callable[..., list[Finding]]
ITEM = """
class Frames(Dataset):
    def __init__(self, files):
        self.files = files
{init}
    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
{item}
        return index
"""


def frames(item: str = "", init: str = "") -> str:
    def block(text: str) -> str:
        return "\n".join(" " * 8 + line for line in text.split("\n"))

    return ITEM.format(item=block(item or "pass"), init=block(init or "pass"))


SILENT: dict[str, dict[str, str]] = {
    "print_in_item": {
        "while it is made": frames(init="print(len(files))"),
        "where something failed": frames(
            "try:\n    open(index).close()\nexcept OSError:\n    print('bad')"
        ),
        "on request": frames("if self.verbose:\n    print(index)"),
        "now and then": frames("if index % 100 == 0:\n    print(index)"),
        "in a function that nobody calls": frames() + "\ndef show(x):\n    print(x)\n",
        "in the training loop": "def main(loader):\n    for x in loader:\n"
        "        print(x)",
    },
    "pil_open_to_float_in_item": {
        "an augmentation in between": frames(
            "return self.t(Image.open(self.files[index]))",
            "self.t = transforms.Compose(\n"
            "    [transforms.RandomCrop(9), transforms.ToTensor()]\n)",
        ),
        "a palette": frames(
            "return self.t(Image.open(self.files[index]).convert('P'))",
            "self.t = transforms.ToTensor()",
        ),
        "nobody knows the transform": frames("return self.t(Image.open(index))"),
    },
    "cv2_bgr": {
        "turned": frames("x = cv2.cvtColor(cv2.imread(index), cv2.COLOR_BGR2RGB)")
        + "\nMEAN = (0.485, 0.456, 0.406)\n",
        "turned by a slice": frames("x = cv2.imread(index)[..., ::-1]")
        + "\nMEAN = (0.485, 0.456, 0.406)\n",
        "grey": frames("x = cv2.imread(index, cv2.IMREAD_GRAYSCALE)")
        + "\nMEAN = (0.485, 0.456, 0.406)\n",
        "statistics of its own": frames("x = cv2.imread(index)"),
    },
    "text_parse_per_item": {
        "once": frames(init="self.table = json.load(open(files))"),
        "when first needed": frames(
            "if self.table is None:\n    self.table = json.load(open('x'))"
        ),
    },
    "unpickle_per_item": {
        "plain arrays": frames("x = np.load(self.files[index])"),
        "once": frames(init="self.rows = pickle.load(open(files, 'rb'))"),
    },
    "dir_scan_per_item": {
        "once": frames(init="self.names = os.listdir(files)"),
        "in a function for __init__": frames(init="self.names = names(files)")
        + "\ndef names(x):\n    return os.listdir(x)\n",
    },
    "sleep_network_per_item": {
        "before another attempt": frames("for attempt in range(3):\n    time.sleep(1)"),
        "after a failure": frames(
            "try:\n    open(index).close()\nexcept OSError:\n    time.sleep(1)"
        ),
    },
    "container_open_per_item": {
        "when first needed": frames(
            "if self.file is None:\n    self.file = h5py.File('x')"
        ),
        "once": frames(init="h5py.File('x').close()"),
    },
    "fd_leak": {
        "with": frames("with open(self.files[index]) as file:\n    x = file.read()"),
        "closed": frames("file = open(index)\nx = file.read()\nfile.close()"),
        "handed on": frames("file = open(index)\nx = pickle.load(file)"),
        "returned": frames("file = open(index)\nreturn file"),
        "returned among others": frames("file = open(index)\nreturn file, 1"),
        "read by what is returned": frames(
            "file = open(index)\nreturn lambda: file.read()"
        ),
        "read by a generator": frames("file = open(index)\nreturn (x for x in file)"),
        "of a descriptor": frames("file = os.open(index, 0)\nos.close(file)"),
    },
    "swallowed_exception_in_item": {
        "a certain error": frames(
            "try:\n    open(index).close()\nexcept OSError:\n    pass"
        ),
        "logged": frames(
            "try:\n    open(index).close()\nexcept Exception:\n    log.warning('bad')"
        ),
        "raised again": frames(
            "try:\n    open(index).close()\nexcept Exception:\n    raise"
        ),
        "kept": frames(
            "try:\n    open(index).close()\nexcept Exception as e:\n    self.bad = e"
        ),
        "nothing of the sample": frames(
            "try:\n    major = [int(x) for x in cv2.__version__.split('.')]\n"
            "except Exception:\n    major = None"
        ),
    },
    "cache_never_hits": {
        "the same key": "CACHE = {}\n"
        + frames("if index not in CACHE:\n    CACHE[index] = len(self.files)"),
        "another container": "CACHE = {}\n"
        + frames("if index not in self.files:\n    CACHE[str(index)] = 1"),
    },
    "heavy_len": {"a length": frames()},
    "index_ignored": {
        "the index is used": frames("x = self.files[index] + random.random()"),
        "nothing is drawn": frames("x = 1"),
    },
    "subprocess_per_item": {"once": frames(init="os.system('true')")},
    "transform_built_per_item": {
        "once": frames(init="self.t = transforms.Compose([])")
    },
    "unbounded_retry": {
        "counted": "class A(Dataset):\n    def __getitem__(self, i):\n"
        "        while True:\n            if i > 9:\n                raise IndexError\n"
        "            try:\n                return self.x[i]\n"
        "            except OSError:\n                i += 1\n",
        "an endless stream": "class A(IterableDataset):\n    def __iter__(self):\n"
        "        while True:\n            yield self.x[0]\n",
    },
}
SPEAKS: dict[str, dict[str, str]] = {
    "print_in_item": {
        "in the item": frames("print(index)"),
        "in a function that the item calls": frames("helped(index)")
        + "\ndef helped(x):\n    print(x)\n",
        "depending on the data": frames("if index < 0:\n    print('low')"),
    },
    "pil_open_to_float_in_item": {
        "straight to a tensor": frames(
            "img = Image.open(self.files[index]).convert('RGB')\nreturn self.t(img)",
            "self.t = transforms.Compose([transforms.ToTensor()])",
        ),
        "in one expression": frames(
            "return self.t(Image.open(index))", "self.t = transforms.ToTensor()"
        ),
    },
    "cv2_bgr": {
        "statistics of ImageNet": frames("x = cv2.imread(index)")
        + "\nMEAN = (0.485, 0.456, 0.406)\n"
    },
    "text_parse_per_item": {
        "numbers": frames("x = np.loadtxt(self.files[index])"),
        "where the cache has none": frames(
            "if index in self.cache:\n    x = 1\nelse:\n    x = np.loadtxt(index)"
        ),
    },
    "unpickle_per_item": {
        "pickle": frames("x = pickle.load(self.files[index])"),
        "torch": frames("x = torch.load(self.files[index])"),
        "objects of numpy": frames("x = np.load(index, allow_pickle=True)"),
    },
    "dir_scan_per_item": {
        "listed": frames("x = os.listdir('x')"),
        "matched": frames("x = list(self.folder.glob('*.png'))"),
    },
    "sleep_network_per_item": {"asleep": frames("time.sleep(0.1)")},
    "container_open_per_item": {
        "opened": frames("with h5py.File('x') as f:\n    x = f[index]")
    },
    "fd_leak": {
        "left open": frames("file = open(index)\nx = file.read()"),
        "read in the return": frames("file = open(index)\nreturn file.read()"),
        "read deep in the return": frames(
            "file = open(index)\nreturn [torch.tensor(parse(file.read())), index]"
        ),
        "read where it is opened": frames("return open(self.files[index]).read()"),
        "parsed where it is opened": frames(
            "x = parse(open(index).readline().strip())"
        ),
        "a descriptor": frames("file = os.open(index, 0)\nx = 1"),
    },
    "swallowed_exception_in_item": {
        "bare": frames("try:\n    x = open(index)\nexcept:\n    return self[0]"),
        "all of them": frames("try:\n    x = open(index)\nexcept Exception:\n    pass"),
        "of what was made before": frames(
            "path = 'x'\ntry:\n    x = open(path)\nexcept Exception:\n    pass"
        ),
    },
    "cache_never_hits": {
        "another key": "CACHE = {}\n"
        + frames("if index not in CACHE:\n    CACHE[str(index)] = len(self.files)")
    },
    "heavy_len": {
        "a sum": "class A(Dataset):\n    def __len__(self):\n"
        "        return sum(len(x) for x in self.files)\n"
        "    def __getitem__(self, i):\n        return i\n"
    },
    "index_ignored": {
        "drawn": "class A(Dataset):\n    def __getitem__(self, i):\n"
        "        return self.x[random.randint(0, 9)]\n",
        "only odd or even": "class A(Dataset):\n    def __getitem__(self, i):\n"
        "        return self.x[random.randint(0, 9)], i % 2\n",
    },
    "subprocess_per_item": {"a shell": frames("os.system('ffmpeg')")},
    "transform_built_per_item": {"each time": frames("t = transforms.Compose([])")},
    "unbounded_retry": {
        "for ever": "class A(Dataset):\n    def __getitem__(self, i):\n"
        "        while True:\n            try:\n                return self.x[i]\n"
        "            except OSError:\n                i = random.randint(0, 9)\n"
    },
}


def test_silent(find: Find, silent: tuple[str, str]) -> None:
    assert find(*silent) == []


def test_speaks(find_one: Find, speaks: tuple[str, str]) -> None:
    find_one(*speaks)


def test_through_another_file(find: Find) -> None:
    code = {
        "train.py": "import torch\nfrom lib.reading import read\n"
        "class A(torch.utils.data.Dataset):\n"
        "    def __getitem__(self, i):\n        return read(i)\n",
        "lib/reading.py": "def read(i):\n    print(i)\n",
    }

    (finding,) = find("print_in_item", code)

    assert finding.severity is Severity.SLOWS
    assert finding.summary == "read prints while it makes an item"
    assert finding.location is not None
    assert (finding.location.path, finding.location.line) == ("lib/reading.py", 2)
    assert finding.evidence["dataset"] == "A"


def test_one_class_one_finding(find: Find) -> None:
    (finding,) = find("print_in_item", frames("print(1)\nprint(2)"))

    assert finding.location is not None
    assert [spot.line - finding.location.line for spot in finding.also_at] == [1]
