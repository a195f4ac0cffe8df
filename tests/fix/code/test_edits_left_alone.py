"""Code that an edit leaves alone."""

import pytest

from tests.fix.code.conftest import TRAIN, Mend
from tests.fix.code.loader_calls import OPTIONS, WORKERS, copied, loader, run

ALONE: dict[str, tuple[str, str]] = {
    "workers that are not to be kept": (
        "PDR106",
        WORKERS.format(4)
        + loader("Images([]), num_workers=args.workers, persistent_workers=False"),
    ),
    "a dictionary": ("PDR103", loader("Images([]), **args", copied())),
    "a subclass": (
        "PDR103",
        "class Mine(DataLoader):\n    pass\n\n"
        + loader("Images([])", copied()).replace("DataLoader(", "Mine("),
    ),
    "an option that says no": (
        "PDR104",
        OPTIONS
        + "parser.add_argument('--keep', default=True)\n"
        + loader("Images([]), persistent_workers=args.keep"),
    ),
    "a batch that is written to after its copy": (
        "PDR103",
        loader("Images([])", copied("z = x.to(device)\n            x[0] = 1")),
    ),
    "an option for workers": (
        "PDR101",
        WORKERS.format(0) + loader("Images([]), num_workers=args.workers"),
    ),
    "an option for workers of what is in memory": (
        "PDR111",
        WORKERS.format(4) + loader("TensorDataset(a), num_workers=args.workers"),
    ),
    "an option for the order": (
        "PDR110",
        OPTIONS
        + "parser.add_argument('--shuffle', default=False)\n"
        + loader("Images([]), shuffle=args.shuffle"),
    ),
    "a dictionary for what is pinned": (
        "PDR103",
        loader("Images([]), **args", copied(), "    args = {'pin_memory': False}\n"),
    ),
    "os that means something else": (
        "PDR102",
        loader("Images([]), num_workers=64", before="    os = net\n"),
    ),
    "a print that is all there is": (
        "PDR201",
        (
            "class Loud(Dataset):\n    def __getitem__(self, index):\n"
            "        if index:\n            print(index)\n"
            "        return Image.open(self.files[index])\n"
        ),
    ),
    "a loss that may be a number": (
        "PDR409",
        loader(
            "Images([])",
            TRAIN
            + "            loss = loss.item() if args else loss\n"
            + "            total += loss\n",
        ),
    ),
    "a device that may be a tensor": (
        "PDR411",
        loader("Images([])", copied("z = torch.zeros(3).to(other)")),
    ),
    "a tensor that will be a leaf": (
        "PDR411",
        loader("Images([])", copied("z = torch.zeros(3, requires_grad=True).cuda()")),
    ),
    "a seed where torch is something else": ("PDR502", "SEED"),
    "a sampler that may not be there": (
        "PDR503",
        "def main(net, many):\n    if many:\n"
        "        sampler = DistributedSampler(Images([]))\n"
        "    train = DataLoader(Images([]), sampler=sampler)\n"
        + TRAIN.replace("in loader", "in train"),
    ),
    "amp where an old torch must do": (
        "PDR601",
        "def main():\n    with torch.cuda.amp.autocast():\n        pass\n",
    ),
    "amp by the file that it is in": (
        "PDR601",
        "made = torch.cuda.amp.autocast_mode.autocast()\n",
    ),
    "amp of cuda itself": (
        "PDR601",
        "from torch import cuda\n\nmade = cuda.amp.autocast()\n",
    ),
    "amp by another name": (
        "PDR601",
        "import torch.cuda.amp as amp\n\nmade = amp.autocast()\n",
    ),
    "amp that is not only called": (
        "PDR601",
        (
            "from torch.cuda.amp import autocast\n\ndef main(a):\n"
            "    with (autocast if a else print)():\n        pass\n"
            "    with autocast():\n        pass\n"
        ),
    ),
    "a private name with no public one": (
        "PDR604",
        "from torch.utils.data._utils.collate import default_collate_err_msg_format\n",
    ),
    "a variable that may want a gradient": (
        "PDR605",
        (
            "from torch.autograd import Variable\n\n"
            "def main(x, y):\n    return Variable(x, requires_grad=y)\n"
        ),
    ),
    "a variable with a comment": (
        "PDR605",
        (
            "from torch.autograd import Variable\n\n"
            "def main(x):\n    return Variable(x,  # kept\n        requires_grad=True)\n"
        ),
    ),
    "a device by option": (
        "PDR606",
        loader("Images([]), pin_memory_device=args.device"),
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_left_alone(mend: Mend, name: str) -> None:
    select, code = ALONE[name]
    version = "2.3.0" if "old torch" in name else "2.13.0"
    if code == "SEED":
        outcome = mend(
            {
                "train.py": "import numpy as np\n"
                "from torch.utils.data import DataLoader"
                "\n\ndef seed(worker_id, torch=0):\n    np.random.seed(worker_id)\n\n"
                "loader = DataLoader(data, num_workers=2, worker_init_fn=seed)\n"
            },
            select=select,
            unsafe=True,
        )
    else:
        outcome = run(mend, code, select, version)

    assert not outcome.files
