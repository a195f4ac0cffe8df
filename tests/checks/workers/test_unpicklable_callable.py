"""PDR305: a function that cannot be sent to a worker."""

from pipedoctor_checks.workers.unpicklable_callable import unpicklable_callable
from tests.checks.code_samples import find, make_tests, rows_dataset

COLLATING = (
    "class Join:\n    def __init__(self):\n        self.f = lambda x: x\n"
    "    def __call__(self, rows):\n        return self.f(rows)\n\n"
)
SILENT = {
    "kept by what collates, without workers": COLLATING
    + rows_dataset(workers=0, more=", collate_fn=Join()"),
    "at the top": "def one(x):\n    return x\n" + rows_dataset(more=", collate_fn=one"),
    "no workers": rows_dataset(workers=0, more=", collate_fn=lambda x: x"),
    "used and dropped": rows_dataset("self.x = sorted([], key=lambda x: x)"),
    "kept, without workers": rows_dataset("self.f = lambda x: x", workers=0),
}
GIVEN = """
class Given(Dataset):
    def __init__(self, rows, change=None):
        self.rows = {rows}
    def __getitem__(self, index):
        return self.change(self.rows[index])
    def __len__(self):
        return 9
"""
GUARDED = """
if __name__ == "__main__":
    def seed(number):
        np.random.seed(number)
    {loader}
"""
SILENT["given and not kept"] = (
    GIVEN.format(rows="sorted(rows, key=change)")
    + "\ndef main():\n    return DataLoader(Given([], lambda x: x), num_workers=2)\n"
)
SILENT["what a lambda has made"] = (
    GIVEN.format(rows="rows\n        self.change = change")
    + "\ndef main(names):\n    rows = list(map(lambda name: name.lower(), names))\n"
    + "    return DataLoader(Given(rows, list(map(lambda x: x, names))), num_workers=2)\n"
)
SPEAKS = {
    "given, and kept": GIVEN.format(rows="rows\n        self.change = change")
    + "\ndef main():\n    return DataLoader(Given([], lambda x: x), num_workers=2)\n",
    "in a list that a function fills": "def change(train):\n    steps = [transforms.ToTensor()]\n"
    "    if train:\n        steps.append(transforms.Lambda(lambda x: x + 1))\n"
    "    return transforms.Compose(steps)\n"
    "def main():\n    rows = datasets.MNIST('.', transform=change(True))\n"
    "    return DataLoader(rows, num_workers=2)\n",
    "the transform itself": "def main():\n"
    "    rows = datasets.MNIST('.', transform=lambda x: x)\n"
    "    return DataLoader(rows, num_workers=2)\n",
    "made by a function": "def wrap(f):\n    def inner(x):\n        return f(x)\n"
    "    return inner\n" + rows_dataset("self.f = wrap(abs)"),
    "under the main guard": GUARDED.format(
        loader="DataLoader([], num_workers=2, worker_init_fn=seed)"
    ),
    "collate": rows_dataset(more=", collate_fn=lambda x: x"),
    "a local function": "def main(data):\n    def one(x):\n        return x\n"
    "    return DataLoader(data, num_workers=2, collate_fn=one)\n",
    "kept": rows_dataset("self.f = lambda x: x"),
    "kept by a dictionary of defaults": rows_dataset("self.f = collections.defaultdict(lambda: 0)"),
    "made by a method": rows_dataset("self.f = self.make()").replace(
        "    def __len__", "    def make(self):\n        return [lambda x: x]\n    def __len__"
    ),
    "kept by what collates": COLLATING + rows_dataset(more=", collate_fn=Join()"),
    "kept in a list": rows_dataset("self.f = [abs, lambda x: x]"),
    "kept in a composition": rows_dataset(
        "self.f = transforms.Compose([abs, transforms.Lambda(lambda x: x)])"
    ),
}
test_silent, test_speaks = make_tests(unpicklable_callable, SILENT, SPEAKS)


def test_all_lambdas_of_the_transforms_are_named() -> None:
    code = (
        "def main(names):\n    both = transforms.Compose(\n        [\n"
        "            transforms.Lambda(lambda x: x),\n            abs,\n"
        "            transforms.Lambda(lambda x: x + 1),\n        ]\n    )\n"
        "    rows = Rows(names, transform=both)\n"
        "    for x in DataLoader(rows, num_workers=2):\n        print(x)\n"
    )

    (finding,) = find(unpicklable_callable, code)

    assert finding.location is not None
    assert [one.line for one in finding.also_at] == [finding.location.line + 2]
