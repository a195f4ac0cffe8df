"""What is followed beyond the place where it is written: parts, views, helpers."""

from collections.abc import Callable

import pytest

from pipedoctor.check import Finding

Find = Callable[..., list[Finding]]


def rows(init: str, item: str, top: str = "", base: str = "Dataset") -> str:
    def block(text: str) -> str:
        return "\n".join(" " * 8 + line for line in text.split("\n"))

    return (
        f"{top}\nclass Rows({base}):\n    def __init__(self, path):\n{block(init)}\n"
        f"    def __getitem__(self, index):\n{block(item)}\n"
        "    def __len__(self):\n        return 9\n"
        "\ndef main(net):\n    loader = DataLoader(Rows('x'), num_workers=2)\n"
        "    for epoch in range(9):\n        for x in loader:\n"
        "            net(x).backward()\n"
    )


OPENED = "self.file = h5py.File(path)\n"
SHOWN = "self.show = transforms.ToTensor()"
SILENT: dict[str, dict[str, str]] = {
    "handle_in_init": {
        "cut out of it": rows(OPENED + "self.x = self.file['x'][:]", "self.x[index]"),
        "cut out whole": rows(OPENED + "self.x = self.file['x'][()]", "self.x[index]"),
        "all of it": rows(OPENED + "self.x = self.file['x'][...]", "self.x[index]"),
        "its names": rows(OPENED + "self.x = self.file.keys()", "self.x"),
        "a part that items do not read": rows(OPENED + "self.x = self.file['x']", "1"),
        "a part that is renewed": rows(
            OPENED + "self.x = self.file['x']",
            "self.x = h5py.File('x')['x']\nreturn self.x[index]",
        ),
        "a part of another": rows(
            OPENED + "self.x = path['x']", "return self.x[index]"
        ),
    },
    "cached_sample_mutated": {
        "a computed place": rows("pass", "x = self.rows[index + 1]\nx[0] = 1"),
        "settings": rows("pass", "x = self.options['a']['b']\nx['c'] = 1"),
        "a copy of columns": rows(
            "pass", "x = self.rows[index]\ny = x[:, [0, 1]]\ny[0] = 1"
        ),
        "a piece of a list": rows("pass", "x = self.rows[index]\ny = x[0:2]\ny[0] = 1"),
    },
    "pil_open_to_float_in_item": {
        "made smaller": rows(
            SHOWN,
            "img = Image.open(path)\nimg = img.resize((9, 9))\nreturn self.show(img)",
        ),
    },
    "constant_worker_seed": {
        "any word of the state": "def seed(worker_id):\n"
        "    torch.utils.data.get_worker_info()\n"
        "    np.random.seed(np.random.get_state()[1][pick()] + worker_id)\n"
        "loader = DataLoader(data, num_workers=2, worker_init_fn=seed)\n",
    },
    "python_object_list": {
        "one object": rows("self.x = []\nself.x += [{'a': path}]", "self.x"),
        "numbers": rows("self.x = []\nfor i in path:\n    self.x += [i]", "self.x"),
        "nothing": rows("self.x = []\nfor i in path:\n    self.x += []", "self.x"),
    },
    "cpu_create_then_move": {
        "of what Python has, in a function": "def score(y):\n"
        "    return torch.tensor([1, 2]).cuda() + y\n"
        + rows("pass", "1").replace(
            "net(x).backward()", "y = net(x.cuda())\n" + " " * 12 + "score(y)"
        ),
        "once": "def score(x):\n    return torch.zeros(3).cuda() + x\n"
        "def main(x):\n    score(x.cuda())\n",
    },
    "in_memory_with_workers": {
        "a class that wraps who knows what": rows(
            "self.x = path", "return self.x[index]", base="object"
        ),
    },
    "sync_in_loop": {
        "beside what was computed": "def main(loader, net):\n"
        "    for x, number in loader:\n        ys = net(x.cuda())\n"
        "        for y, one in zip(ys, number):\n            show(y, one.item())\n",
    },
    "container_open_per_item": {
        "nobody loads from it": "class Rows:\n    def __getitem__(self, index):\n"
        "        return h5py.File('x')[index]\n",
    },
}
SPEAKS: dict[str, dict[str, str]] = {
    "handle_in_init": {
        "a part": rows(OPENED + "self.x = self.file['x']", "return self.x[index]"),
        "a part of a part": rows(
            OPENED + "self.x = self.file[path]['x']", "return self.x[index]"
        ),
        "by a method": rows(
            OPENED + "self.x = self.file.get('x')", "return self.x[index]"
        ),
        "a transaction": "import lmdb\n"
        + rows(
            "self.env = lmdb.open(path)\nself.txn = self.env.begin()",
            "return self.txn.get(index)",
        ),
    },
    "cached_sample_mutated": {
        "an element of an element": rows("pass", "x = self.rows[index]['x']\nx[0] = 1"),
        "a view": rows(
            "pass", "x = self.rows[index]\ny = x[:, 0:3]\ny[0] = 1\nreturn y"
        ),
        "a view from the end": rows(
            "pass", "x = self.rows[index]\ny = x[..., :-1]\ny[0] = 1\nreturn y"
        ),
    },
    "pil_open_to_float_in_item": {
        "in other colours": rows(
            SHOWN,
            "img = Image.open(path)\nimg = img.convert('RGB')\nreturn self.show(img)",
        ),
    },
    "constant_worker_seed": {
        "the first word of the state": "def seed(worker_id):\n"
        "    if torch.utils.data.get_worker_info().dataset.plain:\n"
        "        return np.random.seed(torch.initial_seed())\n"
        "    np.random.seed(np.random.get_state()[1][0] + worker_id)\n"
        "loader = DataLoader(data, num_workers=2, worker_init_fn=seed)\n",
    },
    "python_object_list": {
        "added": rows(
            "self.x = []\nfor i in path:\n    self.x += [(i, 1)]", "self.x[index]"
        ),
    },
    "cpu_create_then_move": {
        "in a function of the loop": "def score(y):\n"
        "    return torch.zeros(3).cuda() + y\n"
        + rows("pass", "1").replace(
            "net(x).backward()",
            "y = net(x.cuda())\n" + " " * 12 + "score(y)",
        ),
    },
    "container_open_per_item": {
        "a class that a loader is given": rows(
            "pass", "return h5py.File('x')[index]", base="object"
        ),
        "a class that hides its base": rows(
            "pass", "return h5py.File('x')[index]"
        ).replace("Rows", "Dataset"),
    },
    "sync_in_loop": {
        "through a helper that reports": "def main(loader, net):\n"
        "    for x in report.log_every(loader, 9):\n        x = x.cuda()\n"
        "        loss = net(x)\n        loss.backward()\n        show(loss.item())\n",
    },
}


def test_nothing_is_said(find: Find, silent: tuple[str, str]) -> None:
    assert find(*silent) == []


def test_it_is_found(find: Find, speaks: tuple[str, str]) -> None:
    assert len(find(*speaks)) == 1


@pytest.mark.parametrize(("part", "edits"), [("[()]", True), ("", False)])
def test_a_part_of_a_file_is_not_reopened_by_an_edit(
    find: Find, part: str, *, edits: bool
) -> None:
    init = f"{OPENED}self.x = self.file['x']{part}"
    (finding,) = find("handle_in_init", rows(init, "return self.file, self.x"))

    assert bool(finding.remedies[0].edits) is edits
