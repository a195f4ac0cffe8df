"""PDR304: a long list of Python objects is copied by each worker."""

from pipedoctor_checks.workers.python_object_list import python_object_list
from tests.checks.code_samples import find, make_tests, rows_dataset, rows_training


def list_dataset(made: str, init: str = "self.rows = self.found()", more: str = "") -> str:
    return (
        f"class Rows(Dataset):\n    def __init__(self, names):\n        {init}\n"
        "    def __len__(self):\n        return 9\n"
        "    def __getitem__(self, index):\n        return read(self.rows[index])\n"
        f"    def found(self):\n        found = []\n        for name in names:\n"
        f"            found.append({made})\n        {more}\n        return found\n"
    )


PAIR_LIST = """
class {name}(Dataset):
    def __init__(self, names):
        self.rows = []
        for name in names:
            self.rows.append((name, 1))
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return read(self.rows[index])
"""
TABLE = "import pandas as pd\n"
COLUMN = "table = pd.read_csv(path)\ntable = table[table.split == 'train'].reset_index()\n"
SILENT = {
    "a column": TABLE
    + rows_dataset(COLUMN + "self.x = table['path']", "return load(self.x[index])"),
    "arrays that are computed": rows_dataset(
        "self.x = []\nfor name in names:\n    image = load(name)\n"
        "    self.x += [image * 2 + (1 - image)]",
        "return self.x[index]",
    ),
    "tensors of a tokenizer": rows_dataset(
        "self.x = [tok.encode(t, return_tensors='pt') for t in texts]", "return self.x[index]"
    ),
    "49 pairs": rows_dataset(
        "self.x = []\nfor i in range(49):\n    self.x += [(load(i), i)]\nself.y = 0"
    ),
    "no workers": rows_dataset("self.x = [(n, 1) for n in names]", workers=0),
    "what becomes an array elsewhere": rows_dataset(
        "self.x = [(n, 1) for n in names]\nself.x = packed(self.x)\nprint(self.x.shape)"
    ),
    "pairs of arrays": rows_dataset(
        "self.x = [(v, m) for v, m in found]\nself.n = [v.shape[0] for v, m in self.x]"
    ),
    "numbers": rows_dataset("self.x = []\nfor i in range(9):\n    self.x.append(i)"),
    "dropped": rows_dataset("x = []\nfor i in range(9):\n    x.append({'a': i})"),
    "an array afterwards": list_dataset("[name, 1]", more="found = np.array(found)"),
    "what is the same for all": list_dataset("('position', 3)"),
    "what its caller only looks at": list_dataset(
        "(name, 1)", "for one in self.found():\n            self.last = one[0]"
    ),
    "one object": rows_training("self.x = []\nself.x += [{'a': path}]", "self.x"),
    "numbers that are added": rows_training(
        "self.x = []\nfor i in path:\n    self.x += [i]", "self.x"
    ),
    "nothing": rows_training("self.x = []\nfor i in path:\n    self.x += []", "self.x"),
}
SPEAKS = {
    "a list of a column": TABLE
    + rows_dataset(COLUMN + "self.x = list(table['path'])", "return load(self.x[index])"),
    "a dictionary of two columns": TABLE
    + rows_dataset(COLUMN + "self.x = dict(zip(table.path, table.label))", "return self.x[index]"),
    "a path for each row of a column": TABLE
    + rows_dataset(
        COLUMN + "self.x = [root / name for name in table['path'].values]",
        "return load(self.x[index])",
    ),
    "texts that are joined": rows_dataset(
        "self.x = []\nfor name in names:\n    self.x.append(root + kind + str(name) + end)",
        "return load(self.x[index])",
    ),
    "tokens": rows_dataset("self.x = [tokenizer.encode(t) for t in texts]", "return self.x[index]"),
    "two workers": rows_dataset("self.x = [(n, 1) for n in names]", workers=2),
    "what may become an array": rows_dataset(
        "self.x = [(n, 1) for n in names]\nself.x = packed(self.x)\nprint(len(self.x))"
    ),
    "dictionaries": rows_dataset(
        "self.x = []\nfor i in range(count):\n    self.x.append({'a': i})"
    ),
    "kept": list_dataset("(name, 1)"),
    "through another name": list_dataset(
        "(name, 1)", "rows = self.found()\n        self.rows = rows"
    ),
    "kept by the base class": list_dataset(
        "(name, 1)", "rows = self.found()\n        super().__init__(rows)"
    ),
    "handed on": list_dataset("(name, 1)", "self.rows = self.all()")
    + "    def all(self):\n        return self.found()\n",
    "added": rows_training("self.x = []\nfor i in path:\n    self.x += [(i, 1)]", "self.x[index]"),
}
PICKED = "return read(self.rows[index])"
SPEAKS_OTHERWISE = {
    "columns of pairs": rows_dataset(
        "self.rows, self.y = zip(*[(x.strip(), 1) for x in open(names)])", PICKED
    ),
    "a text that is cut into lines": rows_dataset(
        "self.rows = open(names).read().strip().split()", PICKED
    ),
    "lists of words": rows_dataset(
        "self.rows = [[word.strip() for word in x.split()] for x in open(names)]", PICKED
    ),
    "lines of a file": rows_dataset("self.rows = open(names).readlines()", PICKED),
    "lines, stripped": rows_dataset("self.rows = [x.strip() for x in open(names)]", PICKED),
    "sorted paths": rows_dataset("import glob\nself.rows = sorted(glob.glob(names))", PICKED),
    "a list made longer": rows_dataset(
        "self.rows = []\nfor name in names:\n    self.rows.extend(json.load(name)['rows'])", PICKED
    ),
    "a document a line": rows_dataset(
        "import json\nself.rows = [json.loads(x) for x in open(names)]", PICKED
    ),
    "rows of a document": rows_dataset("rows = json.load(file)\nself.rows = rows", PICKED),
    "paths, chosen": rows_dataset(
        "import os\nself.rows = [x for x in os.listdir(names) if x]", PICKED
    ),
    "paths of a loop": rows_dataset(
        "import os\nself.rows = []\nfor x in sorted(os.listdir(names)):\n    self.rows.append(x)",
        PICKED,
    ),
    "a column of a table": rows_dataset("self.rows = list(table.values[:, 0])", PICKED),
    "numbers that are computed": rows_dataset("self.rows = [int(x) + 1 for x in names]", PICKED),
    "numbers, as many as somebody says": rows_dataset(
        "self.rows = [i + 1 for i in range(count)]", PICKED
    ),
    "paths that are joined": rows_dataset(
        "self.rows = []\nfor n in names:\n    self.rows.append(os.path.join(n, 'a'))", PICKED
    ),
    "a table of pages by the rest of an index": rows_dataset(
        "self.rows = [str(x) for x in names]", "return read(self.rows[index % 7])"
    ),
    "parts of a document": rows_dataset(
        "self.rows = []\nfor one in json.load(open(names))['notes']:\n"
        "    self.rows.append(one['sound'])",
        PICKED,
    ),
    "one of the lists that a function returns": rows_dataset(
        "self.length, self.rows = measure(names)", PICKED
    )
    + "\ndef measure(names):\n    found = []\n    for name in open(names):\n"
    "        found.append(name.strip())\n    return 3, found\n",
    "records of a class": rows_dataset("self.rows = [Wave(x) for x in open(names)]", PICKED)
    + "\nclass Wave:\n    def __init__(self, text):\n        self.text = text\n",
    "records of a named tuple": "from collections import namedtuple\n"
    "Wave = namedtuple('Wave', 'path length')\n"
    + rows_dataset("self.rows = [Wave(x, 1) for x in open(names)]", PICKED),
    "records that a function makes": rows_dataset(
        "self.rows = []\nfor x in open(names):\n    self.rows.append(describe(x))", PICKED
    )
    + "\ndef describe(text):\n    return {'text': text, 'length': len(text)}\n",
    "a dictionary by the index": rows_dataset(
        "self.rows = {}\nfor i, x in enumerate(open(names)):\n    self.rows[i] = x.strip()", PICKED
    ),
    "lists by their speaker": rows_dataset(
        "self.by_name = {}\nfor x in open(names):\n"
        "    self.by_name.setdefault(x[0], []).append(x.strip())",
        "return random.choice(self.by_name[index])",
    ),
    "rows of the program": "class Rows(Dataset):\n    def __init__(self, rows):\n"
    "        self.rows = rows\n    def __getitem__(self, index):\n"
    "        return read(self.rows[index])\n    def __len__(self):\n        return 9\n"
    "\ndef main(names):\n    rows = [x.strip() for x in open(names)]\n"
    "    loader = DataLoader(Rows(rows), num_workers=2)\n",
    "rows of the program that a base class keeps": "class Base(Dataset):\n"
    "    def __init__(self, rows, size):\n        self.rows = rows\n"
    "    def __getitem__(self, index):\n        return read(self.rows[index])\n"
    "    def __len__(self):\n        return 9\n"
    "\nclass Rows(Base):\n    def __init__(self, rows, size):\n"
    "        super(Rows, self).__init__(rows, size=size)\n"
    "\ndef group(rows):\n    groups = []\n    for key, some in rows.items():\n"
    "        groups.append((key, some))\n    return groups\n"
    "\ndef main(names):\n    groups = group(read(names))\n"
    "    loader = DataLoader(Rows(rows=groups, size=3), num_workers=2)\n",
    "rows of the program by a table of classes": "class Base(Dataset):\n"
    "    def __init__(self, path, rows):\n        self.rows = rows\n"
    "    def __getitem__(self, index):\n        return read(self.rows[index])\n"
    "    def __len__(self):\n        return 9\n"
    "\nclass Rows(Base):\n    def __init__(self, *args, **kwargs):\n"
    "        super().__init__(*args, **kwargs)\n"
    "\ndef main(names, chosen):\n    kinds = {'rows': Rows, 'base': Base}\n"
    "    kind = kinds[chosen]\n    rows = open(names).read().splitlines()\n"
    "    loader = DataLoader(kind('x', rows), num_workers=2)\n",
    "rows of an object": "class Found:\n    def __init__(self, names):\n"
    "        self.rows = [x.strip() for x in open(names)]\n"
    "\nclass Rows(Dataset):\n    def __init__(self, found):\n"
    "        self.rows = found.rows\n    def __getitem__(self, index):\n"
    "        return read(self.rows[index])\n    def __len__(self):\n        return 9\n"
    "\ndef main(names):\n    loader = DataLoader(Rows(Found(names)), num_workers=2)\n",
}
UNPICKLED = "self.rows = pickle.load(open(names, 'rb'))"
LISTED = "[x.strip() for x in open(names)]"
BY_SPLIT = "return read(self.rows[self.split][index])"
SPEAKS_OF_LISTS = {
    "lines that a variable stands for": rows_dataset(
        f"self.rows = {LISTED}\nself.more = None",
        "rows = self.rows if index else self.more\nreturn read(rows[index])",
    ),
    "lines by the part of the data": rows_dataset(
        f"self.rows = {{}}\nfor part in ['train', 'val']:\n    self.rows[part] = {LISTED}", BY_SPLIT
    ),
    "lines of one part of the data": rows_dataset(
        f"self.rows = {{}}\nself.rows['train'] = {LISTED}", BY_SPLIT
    ),
    "a list in a JSON document": rows_dataset(
        "self.rows = json.load(open(names))", "return read(self.rows['images'][index])"
    ),
    "lists that are joined": rows_dataset(
        "self.rows = list(itertools.chain(*[Path('x').rglob(e) for e in ('jpg', 'png')]))", PICKED
    ),
    "lines again and again": rows_dataset(f"self.rows = {LISTED} * 4", PICKED),
    "lines that are chosen by their number": rows_dataset(
        f"self.rows = []\nlines = {LISTED}\nfor i in names:\n    self.rows.append(lines[i])", PICKED
    ),
    "keys of an HDF5 file": rows_dataset(
        "with h5py.File(names) as file:\n    self.rows = list(file.keys())", PICKED, 2
    ).replace("class", "import h5py\nclass", 1),
    "names in a group of an HDF5 file": rows_dataset(
        "file = h5py.File(names)\nself.rows = [x for x in file['a'].keys()]\nfile.close()", PICKED
    ).replace("class", "import h5py\nclass", 1),
    "keys of LMDB": rows_dataset(
        "self.env = lmdb.open(names)\nwith self.env.begin() as txn:\n"
        "    self.rows = [key for key, _ in txn.cursor()]\nself.env = None",
        PICKED,
    ).replace("class", "import lmdb\nclass", 1),
    "members of an archive": rows_dataset("self.rows = archive.namelist()", PICKED),
    "what was pickled, used as a record": rows_dataset(
        UNPICKLED, "row = copy.deepcopy(self.rows[index])\nreturn read(row['path'])"
    ).replace("class", "import pickle\nclass", 1),
    "what was pickled, used as a path": rows_dataset(
        UNPICKLED, "return read(os.path.join('x', self.rows[index]))"
    ).replace("class", "import pickle\nclass", 1),
    "filled by another method": rows_dataset("self.rows = None", PICKED).replace(
        "    def __len__",
        f"    def load(self, names):\n        self.rows = {LISTED}\n    def __len__",
    )
    + "\ndef prepare(names):\n    rows = Rows()\n    rows.load(names)\n",
}
SILENT_OTHERWISE = {
    "arrays by the part of the data": rows_dataset(
        "self.rows = {}\nfor part in ['train', 'val']:\n    self.rows[part] = np.load(part)",
        BY_SPLIT,
    ),
    "what was pickled, of which nothing is known": rows_dataset(
        UNPICKLED, "return torch.from_numpy(self.rows[index])"
    ).replace("class", "import pickle\nclass", 1),
    "arrays of an HDF5 file": rows_dataset(
        "with h5py.File(names) as file:\n    self.rows = [file[k][()] for k in file.keys()]", PICKED
    ).replace("class", "import h5py\nclass", 1),
    "filled by a method that nobody calls": rows_dataset("self.rows = None", PICKED).replace(
        "    def __len__",
        f"    def load(self, names):\n        self.rows = {LISTED}\n    def __len__",
    ),
    "a part of what is not known": rows_dataset("self.rows = self.rows[:9]", PICKED),
    "datasets within": rows_dataset("self.rows = [Wave(x) for x in names]", PICKED)
    + "\nclass Wave(Dataset):\n    def __init__(self, name):\n        self.name = name\n"
    "    def __getitem__(self, index):\n        return index\n",
    "images with their size": rows_dataset(
        "self.rows = []\nfor x in names:\n    self.rows.append(load(x))", PICKED
    )
    + "\ndef load(name):\n    image = np.load(name)\n    return image, image.shape\n",
    "arrays by the index": rows_dataset(
        "self.rows = {}\nfor i, x in enumerate(names):\n    self.rows[i] = np.load(x)", PICKED
    ),
    "lists that no item reads": rows_dataset(
        "self.by_name = {}\nfor x in open(names):\n"
        "    self.by_name.setdefault(x[0], []).append(x.strip())",
        "return index",
    ),
    "the length that a function returns": rows_dataset(
        "self.rows, self.names = measure(names)", PICKED
    )
    + "\ndef measure(names):\n    return 3, [x.strip() for x in open(names)]\n",
    "lines that no item is": rows_dataset("self.rows = open(names).readlines()", "return 1"),
    "lines that become an array": rows_dataset(
        "self.rows = open(names).readlines()\nself.rows = np.array(self.rows)", PICKED
    ),
    "arrays": rows_dataset("self.rows = [np.load(x) for x in names]", PICKED),
    "elements of a loop over what is unknown": rows_dataset(
        "self.rows = []\nfor x in names:\n    self.rows.append(x)", PICKED
    ),
    "elements of what is unknown": rows_dataset("self.rows = [x for x in names if x]", PICKED),
    "as many as are written": rows_dataset("self.rows = [str(x) for x in range(9)]", PICKED),
}
test_silent, test_speaks = make_tests(
    python_object_list, SILENT | SILENT_OTHERWISE, SPEAKS | SPEAKS_OTHERWISE | SPEAKS_OF_LISTS
)


def test_lists_of_objects_are_said_once_of_a_project() -> None:
    (alone,) = find(python_object_list, PAIR_LIST.format(name="One"))
    (both,) = find(python_object_list, PAIR_LIST.format(name="One") + PAIR_LIST.format(name="Two"))

    said = "a Python object for each sample: about 10 MB in each worker for 100,000 samples"
    assert alone.summary == f"One.__init__ keeps {said}"
    assert both.summary == f"One.__init__ and 1 more keep {said}"
    assert len(both.also_at) == 1
