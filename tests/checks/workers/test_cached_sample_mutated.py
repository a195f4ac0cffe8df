"""PDR308: the cached sample is changed."""

import pytest

from pipedoctor_checks.workers.cached_sample_mutated import cached_sample_mutated
from tests.checks.code_samples import find, make_tests, rows_dataset, rows_training

ITEMS_OF_BASE = """
class Based(Dataset):
    def __init__(self, names):
        self.base = {base}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        item = self.base[index]
        item["label"] = 1
        return item
"""
CACHED_ROWS = """
class Rows(Dataset):
    def __init__(self, dataset):
        self.rows = {rows}
    def __getitem__(self, index):
        item = self.rows[index]
        item["label"] = 1
        return item
    def __len__(self):
        return 9
"""
LOADED = """
class Kept(Dataset):
    def __init__(self, names, cache=True):
        self.kept = {} if cache else None
    def __len__(self):
        return 9
    def load(self, name):
        if self.kept is not None and name in self.kept:
            return self.kept[name]
        image = read(name)
        %s
        return image
    def __getitem__(self, index):
        image = self.load(index)
        image[image > 250] = 0
        return image
"""
JITTER = """
def jitter(points):
    n, c = points.shape
    {change} np.random.randn(n, c)
    return points
"""
JITTERED = rows_dataset(
    item="x = self.rows[index][:9]\nif self.noise:\n    x = jitter(x)\nreturn x"
)
SHIFT = """
class Shift:
    def __call__(self, row):
        {change}
        return row
"""
SHIFTED = rows_dataset(
    "self.rows = np.load('rows.npy')\nself.shift = Shift()", "return self.shift(self.rows[index])"
)
SHARED = rows_dataset(
    item="if index not in {name}:\n    {name}[index] = read(index)\n"
    "x = {name}[index]\nx -= x.mean()\nreturn x"
).replace("class Rows(Dataset):\n", "class Rows(Dataset):\n    kept = {{}}\n")
RECORDS = "self.rows = [{'x': read(name)} for name in names]"
SILENT = {
    "an object that makes another": SHIFT.format(change="row = row - 1") + SHIFTED,
    "an object that changes a copy": SHIFT.format(change="row = row.copy()\n        row[0] = 1")
    + SHIFTED,
    "an attribute of what has none": rows_dataset(item="x = self.rows[index]\nx.seen = True"),
    "two underscores": rows_dataset(item="x = self.rows[index]\nx.__len__()"),
    "a function that makes another": JITTER.format(change="points = points +") + JITTERED,
    "loaded anew each time": LOADED % "pass",
    "queues that are filled": rows_dataset(
        "self.rows = [[] for _ in range(2)]", "x = self.rows[index]\nx.append(1)"
    ),
    "copied": rows_dataset(item="x = self.rows[index].copy()\nx[0] = 1"),
    "a selection": rows_dataset(item="x = self.rows[index]\ny = x[choice]\ny[0] = 1"),
    "made anew": rows_dataset(item="x = self.rows[index]\nx = x + 1\nx[0] = 1"),
    "items of another dataset": CACHED_ROWS.format(rows="dataset and Memory()")
    + "class Memory(Dataset):\n"
    + "    def __getitem__(self, index):\n        return {}\n",
    "a dataset by its name": CACHED_ROWS.format(rows="[]").replace("self.rows", "self.dataset"),
    "a computed place": rows_training("pass", "x = self.rows[index + 1]\nx[0] = 1"),
    "settings": rows_training("pass", "x = self.options['a']['b']\nx['c'] = 1"),
    "a copy of columns": rows_training("pass", "x = self.rows[index]\ny = x[:, [0, 1]]\ny[0] = 1"),
    "a list of its own in another branch": rows_dataset(
        item="if flag:\n    x = self.rows[index]\nelse:\n    x = []\n    x.append(1)\nreturn x"
    ),
    "a number": rows_dataset(item="x = self.rows[index]\nx += 1\nreturn x"),
    "a method that changes nothing": rows_dataset(item="x = self.rows[index]\ny = x.get('a')"),
    "a piece of a list": rows_training("pass", "x = self.rows[index]\ny = x[0:2]\ny[0] = 1"),
}
SPEAKS = {
    "by an object that is given it": SHIFT.format(change="row[:, 0] = 640 - row[:, 0]") + SHIFTED,
    "by an object, one of several ways": SHIFT.format(change="row.clamp_(0, 1)") + SHIFTED,
    "of a class": SHARED.format(name="Rows.kept"),
    "of its class": SHARED.format(name="self.__class__.kept"),
    "a field of a record": rows_dataset(
        RECORDS, "x = self.rows[index]\ny = x['x']\ny[:, 0] = 640 - y[:, 0]"
    ),
    "a field at once": rows_dataset(RECORDS, "x = self.rows[index]\nx['x'].sub_(1).div_(2)"),
    "an attribute of a graph": rows_dataset(item="x = self.rows[index]\nx.pos = x.pos - 1"),
    "shuffled": rows_dataset(item="x = self.rows[index]\nrandom.shuffle(x)"),
    "written to": rows_dataset(item="x = self.rows[index]\nnp.add(x, 1, out=x)"),
    "by a flag": rows_dataset(item="x = self.rows[index]\nF.normalize(x, inplace=True)"),
    "records that a method makes": rows_dataset(
        "self.rows = self.build()", "x = self.rows[index]\nx['y'] = 1"
    ).replace("    def __len__", "    def build(self):\n        return [{}]\n    def __len__"),
    "by a function that is given a part": JITTER.format(change="points +=") + JITTERED,
    "returned by a method": LOADED % "self.kept[name] = image",
    "by index": rows_dataset(item="x = self.rows[index]\nx[0] = 1"),
    "in one branch": rows_dataset(
        item="if index in self.c:\n    x, y = self.c[index]\n"
        "else:\n    x, y = new(index)\nx[:, 0] = 1"
    ),
    "in place": rows_dataset(
        item="x = self.rows[index]\nx += np.random.randn(*x.shape)\nreturn torch.from_numpy(x)"
    ),
    "by a method of a dictionary": rows_dataset(item="x = self.rows[index]\nx.update(seen=1)"),
    "by a method of a tensor": rows_dataset(item="x = self.rows[index]\nx.mul_(2).add_(1)"),
    "by a method of an image": rows_dataset(item="x = self.rows[index]\nx.thumbnail((9, 9))"),
    "a row of its own": CACHED_ROWS.format(rows="[{}]"),
    "an element of an element": rows_training("pass", "x = self.rows[index]['x']\nx[0] = 1"),
    "a view": rows_training("pass", "x = self.rows[index]\ny = x[:, 0:3]\ny[0] = 1\nreturn y"),
    "a view from the end": rows_training(
        "pass", "x = self.rows[index]\ny = x[..., :-1]\ny[0] = 1\nreturn y"
    ),
}
test_silent, test_speaks = make_tests(cached_sample_mutated, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("base", "found"), [("self.get_base()", 0), ("[dict(name=name) for name in names]", 1)]
)
def test_who_knows_what_it_is_made_from(base: str, found: int) -> None:
    assert len(find(cached_sample_mutated, ITEMS_OF_BASE.format(base=base))) == found
