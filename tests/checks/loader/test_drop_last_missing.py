"""PDR109: the last batch may hold a single sample."""

import pytest

from pipedoctor_checks.loader.drop_last_missing import drop_last_missing
from tests.checks.code_samples import HEAD, TRAIN_LOOP, Code, find, loader_call, make_tests
from tests.checks.image_samples import IMAGE_EPOCHS, IMAGES, image_training

TORCHVISION_TRAINING = """
from torchvision import datasets
def main(args):
    loader = DataLoader(datasets.{name}(root), batch_size={size}, num_workers=2)
    net = nn.BatchNorm2d(3)
    for epoch in range(9):
        for x in loader:
            loss = net(x)
            loss.backward()
"""
NORMS = {
    "a/train.py": "from torch.utils.data import DataLoader\nfrom a.{net} import Net\n"
    "def main(data, size, net):\n    loader = DataLoader(data, batch_size=size)\n"
    "    for x in loader:\n        loss = net(x)\n        loss.backward()\n",
    "a/net.py": "import torch\nclass Net:\n    norm = torch.nn.BatchNorm2d(3)\n",
    "a/plain.py": "import torch\nclass Net:\n    pass\n",
}


def norms(net: str) -> dict[str, str]:
    return {path: text.replace("{net}", net) for path, text in NORMS.items()}


SILENT: dict[str, Code] = {
    "dropped": loader_call("Images(), 4, drop_last=True", TRAIN_LOOP) + "nn.BatchNorm2d(3)",
    "no BatchNorm": loader_call("Images(), 4", TRAIN_LOOP),
    "evaluation": loader_call("Images()").replace("loader", "val_loader") + "nn.BatchNorm2d(3)",
    "no BatchNorm in sight": norms("plain"),
    "graphs": "from torch_geometric.loader import DataLoader as Graphs\n"
    "loader = Graphs(rows, 4)\nnn.BatchNorm1d(3)\nfor epoch in range(9):\n"
    "    for x in loader:\n        net(x).backward()\n",
    "kept on purpose": image_training("Images(), 4, drop_last=False") + "nn.BatchNorm2d(3)",
    "it serves both": IMAGES + "def build(shuffle):\n"
    "    return DataLoader(Images(), 4, shuffle=shuffle)\n"
    "loader = build(args.mix)\n" + IMAGE_EPOCHS + "nn.BatchNorm2d(3)",
    "the norm of all GPUs takes the place of another": image_training("Images(), 4")
    + "net = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Conv2d(3, 8, 1))",
    "features are only asked for": image_training("Images(), 4")
    + "def init(m):\n    return isinstance(m, (nn.BatchNorm2d, nn.BatchNorm1d))\n"
    "net = nn.Conv2d(3, 8, 1)\n",
    "norms are only asked for": image_training("Images(), 4")
    + "def init(m):\n    if type(m) == nn.BatchNorm2d or 'BatchNorm' in str(m):\n        pass\n",
    "a norm of features is only defined": image_training("Images(), 4")
    + "class MetaBatchNorm1d(nn.BatchNorm1d):\n    __doc__ = nn.BatchNorm1d.__doc__\n"
    + "net = nn.Sequential(nn.Conv2d(3, 8, 1), nn.BatchNorm2d(8))\n",
    "only sequences are normalised": image_training("Images(), 4")
    + "class Block(nn.Module):\n    def __init__(self):\n"
    + "        self.conv = nn.Conv1d(3, 8, 1)\n        self.norm = nn.BatchNorm1d(8)\n",
    "rows that are parts of samples": image_training("Images(), 4")
    + "class Block(nn.Module):\n    def __init__(self):\n        self.norm = nn.BatchNorm1d(8)\n"
    + "    def forward(self, x):\n"
    + "        return self.norm(x.view(x.size(0) * x.size(1), -1))\n",
    "graphs of DGL": image_training("Images(), 4, collate_fn=collate")
    + "net = nn.BatchNorm1d(3)\ndef collate(rows):\n    return dgl.batch(rows)\n",
    "a list of its own models": image_training("Images(), 4")
    + "import models\nnames = sorted(models.__dict__)\nnn.Conv2d(3, 8, 1), nn.BatchNorm2d(8)\n",
    "only spoken of": image_training("Images(), 4") + "# see example.org/resnets.html",
}
SPEAKS: dict[str, Code] = {
    "BatchNorm": loader_call("Images(), 4", TRAIN_LOOP) + "\nnet = nn.BatchNorm2d(3)",
    "shuffled as somebody wants": loader_call("Images(), 4, shuffle=args.mix", TRAIN_LOOP)
    + "\nnet = nn.BatchNorm2d(3)",
    "BatchNorm in what it imports": norms("net"),
    "points": "loader = DataLoader(rows, 4)\nnn.BatchNorm1d(3)\n"
    "for epoch in range(9):\n    for x in loader:\n        net(x).backward()\n",
    "features are normalised by the class that is handed over": image_training("Images(), 4")
    + "net = block(nn.Conv2d(3, 8, 1), norm=nn.BatchNorm1d)",
    "rows beside sequences": image_training("Images(), 4")
    + "class Block(nn.Module):\n    def __init__(self):\n"
    + "        self.conv = nn.Conv1d(3, 8, 1)\n        self.fit = nn.Linear(8, 8)\n"
    + "        self.norm = nn.BatchNorm1d(8)\n",
    "rows, where others have graphs of DGL": image_training("Images(), 4")
    + "net = nn.BatchNorm1d(3)\ndef collate(rows):\n    return dgl.batch(rows)\n",
    "any network of torchvision": image_training("Images(), 4")
    + "import torchvision.models as models\nnet = models.__dict__[name]()\n",
    "never said": image_training("Images(), 4") + "nn.BatchNorm2d(3)",
}
test_silent, test_speaks = make_tests(drop_last_missing, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("name", "size", "found"),
    [
        ("CIFAR10", "args.size", 0),
        ("CIFAR10", "128", 0),
        ("STL10", "7", 0),
        ("STL10", "4999", 1),
        ("ImageFolder", "128", 1),
    ],
)
def test_data_sets_of_known_size(name: str, size: str, found: int) -> None:
    code = TORCHVISION_TRAINING.format(name=name, size=size)

    assert len(find(drop_last_missing, code)) == found


def test_last_batches_are_said_once_of_a_project() -> None:
    one = TORCHVISION_TRAINING.format(name="ImageFolder", size=8)
    code = {"a.py": HEAD + one, "b.py": HEAD + one}

    (finding,) = find(drop_last_missing, code)

    assert finding.summary == (
        "loader and 1 more may end with a batch of one sample, on which BatchNorm fails"
    )
    assert len(finding.remedies[0].edits) == 2
