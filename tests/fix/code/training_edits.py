"""What edits of items, pinning, seeds and old names of torch write: code before and after."""

from tests.fix.code.conftest import TRAIN
from tests.fix.code.loader_calls import copied, loader

TRAINING_EDITS: dict[str, tuple[str, str, str, str]] = {
    "silence": (
        "PDR201",
        (
            "class Loud(Dataset):\n    def __getitem__(self, index):\n"
            "        print(index)  # why\n"
            "        return Image.open(self.files[index])\n"
        ),
        "        print(index)  # why\n",
        "",
    ),
    "colors": (
        "PDR203",
        (
            "MEAN = [0.485, 0.456, 0.406]\n\n"
            "class Pictures(Dataset):\n    def __getitem__(self, index):\n"
            "        return cv2.imread(self.files[index]) - MEAN\n"
        ),
        "cv2.imread(self.files[index])",
        "cv2.cvtColor(cv2.imread(self.files[index]), cv2.COLOR_BGR2RGB)",
    ),
    "pinned after all": (
        "PDR401",
        loader("Images([])", copied("x = x.cuda(non_blocking=True)")),
        "DataLoader(Images([]))",
        "DataLoader(Images([]), pin_memory=True)",
    ),
    "not blocking": (
        "PDR402",
        loader("Images([]), pin_memory=True", copied("x = x.cuda()")),
        "x.cuda()",
        "x.cuda(non_blocking=True)",
    ),
    "not blocking after all": (
        "PDR402",
        loader(
            "Images([]), pin_memory=True",
            copied("x = x.to(device, non_blocking=False)"),
        ),
        "non_blocking=False",
        "non_blocking=True",
    ),
    "the cache stays": (
        "PDR408",
        loader("Images([])", TRAIN + "            torch.cuda.empty_cache()\n\nx = 1\n"),
        "            torch.cuda.empty_cache()\n",
        "",
    ),
    "no graph": (
        "PDR409",
        loader("Images([])", TRAIN + "            total += loss * 2\n"),
        "total += loss * 2",
        "total += loss.detach() * 2",
    ),
    "made there": (
        "PDR411",
        loader("Images([])", copied("z = torch.zeros(3).to(device)")),
        "torch.zeros(3).to(device)",
        "torch.zeros(3, device=device)",
    ),
    "made on a card": (
        "PDR411",
        loader("Images([])", copied("z = torch.zeros(3, dtype=torch.half).cuda()")),
        "torch.zeros(3, dtype=torch.half).cuda()",
        'torch.zeros(3, dtype=torch.half, device="cuda")',
    ),
    "made there in the middle of a long line": (
        "PDR411",
        loader(
            "Images([])",
            copied(f"z = torch.zeros(3).to(device) * {'1' * 60}"),
        ),
        "torch.zeros(3).to(device)",
        "torch.zeros(3, device=device)",
    ),
    "not pinned first": (
        "PDR412",
        "def move(x):\n    return x[0].pin_memory().to('cuda', non_blocking=True)\n",
        "x[0].pin_memory().to",
        "x[0].to",
    ),
    "another seed each epoch": (
        "PDR502",
        (
            "def seed(worker_id):\n    np.random.seed(42 + worker_id)\n"
            "    torch.manual_seed(42)\n\n"
            "loader = DataLoader(Images([]), num_workers=2, worker_init_fn=seed)\n"
        ),
        "np.random.seed(42 + worker_id)\n    torch.manual_seed(42)",
        (
            "np.random.seed(torch.initial_seed() % 2**32)\n"
            "    torch.manual_seed(torch.initial_seed())"
        ),
    ),
    "the epoch is told": (
        "PDR503",
        "def main(net):\n    sampler = DistributedSampler(Images([]))\n"
        "    train = DataLoader(Images([]), sampler=sampler)\n"
        + TRAIN.replace("in loader", "in train"),
        "    for epoch in range(9):\n        for",
        "    for epoch in range(9):\n        sampler.set_epoch(epoch)\n        for",
    ),
    "the epoch is told if anybody listens": (
        "PDR503",
        "def main(net, many):\n    sampler = None\n    if many:\n"
        "        sampler = DistributedSampler(Images([]))\n"
        "    train = DataLoader(Images([]), sampler=sampler)\n"
        + TRAIN.replace("in loader", "in train"),
        "    for epoch in range(9):\n        for",
        (
            "    for epoch in range(9):\n        if sampler is not None:\n"
            "            sampler.set_epoch(epoch)\n        for"
        ),
    ),
    "amp in full": (
        "PDR601",
        (
            "def main():\n    with torch.cuda.amp.autocast(True):\n        pass\n"
            "    return torch.cuda.amp.GradScaler(init_scale=2.0)\n"
        ),
        ("torch.cuda.amp.autocast(True):\n        pass\n    return torch.cuda.amp.GradScaler("),
        (
            'torch.amp.autocast("cuda", enabled=True):\n        pass\n'
            '    return torch.amp.GradScaler("cuda", '
        ),
    ),
    "amp in a file of single quotes": (
        "PDR601",
        (
            "a, b = 'a', 'b'\n\ndef main():\n"
            '    """Docstrings have three of the others."""\n'
            "    with torch.cuda.amp.autocast():\n        pass\n"
        ),
        "torch.cuda.amp.autocast()",
        "torch.amp.autocast('cuda')",
    ),
    "amp imported": (
        "PDR601",
        (
            "from torch.cuda.amp import autocast\n\ndef main():\n"
            "    with autocast():\n        pass\n"
        ),
        "torch.cuda.amp import autocast\n\ndef main():\n    with autocast()",
        'torch.amp import autocast\n\ndef main():\n    with autocast("cuda")',
    ),
    "next": (
        "PDR603",
        (
            "def main(net):\n    loader = DataLoader(Images([]))\n"
            "    it = iter(loader)\n    return it.next()\n"
        ),
        "it.next()",
        "next(it)",
    ),
    "public": (
        "PDR604",
        "from torch.utils.data._utils.collate import default_collate\n",
        "torch.utils.data._utils.collate",
        "torch.utils.data",
    ),
    "bare": (
        "PDR605",
        (
            "from torch.autograd import Variable\n\n"
            "def main(x, y):\n    return Variable(x), Variable(x + y).cuda()\n"
        ),
        "Variable(x), Variable(x + y).cuda()",
        "x.detach(), (x + y).detach().cuda()",
    ),
    "bare, of what has no graph": (
        "PDR605",
        (
            "from torch.autograd import Variable\n\n"
            "def main(x):\n    return Variable(torch.from_numpy(x), volatile=False)\n"
        ),
        "Variable(torch.from_numpy(x), volatile=False)",
        "torch.from_numpy(x)",
    ),
    "a gradient of its own": (
        "PDR605",
        (
            "from torch.autograd import Variable\n\n"
            "def main(x, y):\n    z = Variable(x.cuda(), requires_grad=True)\n"
            "    return Variable(-y,\n        requires_grad=True,\n    ), z\n"
        ),
        (
            "Variable(x.cuda(), requires_grad=True)\n    return Variable(-y,\n"
            "        requires_grad=True,\n    ), z"
        ),
        "x.cuda().detach().requires_grad_()\n    return (-y).detach().requires_grad_(), z",
    ),
    "torch alone": ("PDR602", "import torch.utils.bottleneck\n", ".utils.bottleneck", ""),
    "no device to pin for": (
        "PDR606",
        loader("Images([]), pin_memory_device='cuda'"),
        ", pin_memory_device='cuda'",
        "",
    ),
}
