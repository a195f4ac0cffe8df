"""Between loader and device; and names that torch has left behind."""

from collections.abc import Callable

import pytest

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import TorchBuild

Find = Callable[..., list[Finding]]


def loop(
    body: str, given: str = "pin_memory=True", after: str = "", top: str = ""
) -> str:
    def block(text: str) -> str:
        return "\n".join(" " * 12 + line for line in text.split("\n"))

    return (
        f"{top}\ndef main(data, net, device):\n    loader = DataLoader(data, {given})\n"
        "    for epoch in range(9):\n        for step, (x, y) in enumerate(loader):\n"
        f"{block(body)}\n{after}"
    )


STEP = "x = x.cuda(non_blocking=True)\nloss = net(x)\nloss.backward()\n"
STREAMED = """
class Ahead:
    def fetch(self):
        with torch.cuda.stream(self.stream):
            self.batch = self.batch.cuda(non_blocking=True)
    {}
"""
SILENT: dict[str, dict[str, str]] = {
    "nonblocking_unpinned": {
        "pinned": loop("x.to(device, non_blocking=True)"),
        "perhaps": loop("x.to(device, non_blocking=True)", "pin_memory=data.pin"),
        "blocking": loop("x.to(device)", "num_workers=2"),
        "pins its own": loop("x = x.pin_memory().cuda(non_blocking=True)"),
    },
    "pinned_blocking": {
        "not blocking": loop("x = x.to(device, non_blocking=True)"),
        "not pinned": loop("x = x.to(device)", "num_workers=2"),
        "another type": loop("x = x.to(torch.float16)"),
        "not the batch": loop("z = weights.to(device)"),
    },
    "sync_in_loop": {
        "at an interval": loop(STEP + "if step % 50 == 0:\n    print(loss.item())"),
        "a flag": loop(STEP + "if verbose:\n    loss.item()"),
        "after the loop": loop(STEP, after="    loss.item()\n"),
        "still on the host": loop("n = y.tolist()\n" + STEP),
        "no GPU": loop("loss = net(x)\nloss.backward()\nloss.item()"),
    },
    "wasted_iterator": {
        "once": "def main(data):\n    loader = DataLoader(data)\n"
        "    return next(iter(loader))\n",
        "after the end": "def main(data):\n    loader = DataLoader(data)\n"
        "    it = iter(loader)\n    for step in range(9):\n        try:\n"
        "            x = next(it)\n        except StopIteration:\n"
        "            x = next(iter(loader))\n",
    },
    "unguarded_next": {
        "guarded": "def main(data):\n    it = iter(DataLoader(data))\n"
        "    for step in range(9):\n        try:\n            next(it)\n"
        "        except StopIteration:\n            break\n",
        "a default": "def main(data):\n    it = iter(DataLoader(data))\n"
        "    for step in range(9):\n        next(it, None)\n",
        "once": "def main(data):\n    it = iter(DataLoader(data))\n    next(it)\n",
        "endless": "def main(data):\n    it = iter(DataLoader(data, sampler=S()))\n"
        "    for step in range(9):\n        next(it)\n",
    },
    "main_process_augment": {
        "results": loop(STEP + "z = loss.detach().cpu().numpy()"),
        "not back again": loop("z = x.numpy()"),
    },
    "data_parallel": {"asked": "isinstance(net, torch.nn.DataParallel)\n"},
    "empty_cache_in_loop": {
        "after the loop": loop(STEP, after="    torch.cuda.empty_cache()\n"),
        "at an interval": loop(
            STEP + "if step % 100 == 0:\n    torch.cuda.empty_cache()"
        ),
    },
    "loss_graph_accumulated": {
        "detached": loop(STEP + "total += loss.detach()"),
        "a number": loop(STEP + "total += loss.item()"),
        "itself": loop("loss = net(x)\ntotal += loss\ntotal.backward()"),
    },
    "side_stream_no_record": {
        "recorded": STREAMED.format(
            "def next(self):\n        self.batch.record_stream(main)"
        ),
        "no stream": "def f(x):\n    return x.cuda(non_blocking=True)\n",
    },
    "cpu_create_then_move": {
        "there at once": loop("z = torch.zeros(9, device=device)"),
        "once": "def f(device):\n    return torch.zeros(9).to(device)\n",
    },
    "pin_then_copy": {
        "the loader pins": loop("x.to(device, non_blocking=True)"),
        "pinned before": "def f(x):\n    x = x.pin_memory()\n    return x.to(d)\n",
    },
    "cuda_amp": {"the new name": "torch.amp.autocast('cuda')\n"},
    "bottleneck": {"the profiler": "import torch.profiler\n"},
    "old_iterator_api": {
        "a prefetcher": "x = Prefetcher(loader).next()\n",
        "the function": "def main(data):\n    next(iter(DataLoader(data)))\n",
    },
    "private_import": {
        "public": "from torch.utils.data import default_collate\n",
        "a public module": "from torch.utils.data.dataloader import default_collate\n",
    },
    "variable": {"another's": "from mine import Variable\nVariable(1)\n"},
}
SPEAKS: dict[str, dict[str, str]] = {
    "nonblocking_unpinned": {
        "not pinned": loop("x.to(device, non_blocking=True)", "num_workers=2")
    },
    "pinned_blocking": {
        "to": loop("x = x.to(device)"),
        "cuda": loop("x, y = x.cuda(), y.cuda()"),
        "each of a batch": loop("z = [t.to(device) for t in x]"),
        "in another function": "def main(data):\n"
        "    train(DataLoader(data, pin_memory=True))\n"
        "def train(batches):\n    for x in batches:\n        x.cuda()\n",
        "with next": "def main(data):\n"
        "    it = iter(DataLoader(data, pin_memory=True))\n"
        "    while True:\n        x = next(it)\n        x.cuda()\n",
    },
    "sync_in_loop": {
        "a number": loop(STEP + "total += loss.item()"),
        "printed": loop(STEP + "print(loss)"),
        "in a function of its own": "def step(net, x):\n    loss = net(x)\n"
        "    loss.backward()\n    return loss.item()\n"
        + loop("x = x.cuda()\nstep(net, x)"),
    },
    "wasted_iterator": {
        "each step": "def main(data):\n    loader = DataLoader(data, num_workers=2)\n"
        "    for step in range(9):\n        x = next(iter(loader))\n",
        "a function that a loop calls": "def first(loader):\n"
        "    return next(iter(loader))\n"
        "def main(data):\n    loader = DataLoader(data, num_workers=2)\n"
        "    for step in range(9):\n        x = first(loader)\n",
        "a loader from elsewhere": "def main(train_loader):\n"
        "    for step in range(9):\n        x = next(iter(train_loader))\n",
    },
    "unguarded_next": {
        "may end": "def main(data):\n    it = iter(DataLoader(data))\n"
        "    for step in range(9):\n        next(it)\n"
    },
    "main_process_augment": {
        "there and back": loop(
            "x = x.numpy()\nx = turn(x)\nx = torch.Tensor(x)\nx.cuda()"
        )
    },
    "data_parallel": {"called": "net = torch.nn.DataParallel(net)\n"},
    "empty_cache_in_loop": {"each step": loop(STEP + "torch.cuda.empty_cache()")},
    "loss_graph_accumulated": {"a sum": loop(STEP + "total += loss")},
    "side_stream_no_record": {"never": STREAMED.format("pass")},
    "cpu_create_then_move": {"each step": loop("z = torch.zeros(9).to(device)")},
    "pin_then_copy": {
        "at once": "def f(x):\n    return x.pin_memory().to(d)\n",
        "to the first GPU": "def f(x):\n    return x.pin_memory().cuda()\n",
    },
    "cuda_amp": {"called": "torch.cuda.amp.autocast()\n"},
    "bottleneck": {"imported": "import torch.utils.bottleneck\n"},
    "old_iterator_api": {
        "called": "def main(data):\n    it = iter(DataLoader(data))\n    it.next()\n"
    },
    "private_import": {
        "a module": "from torch.utils.data._utils.collate import default_collate\n",
        "a name": "from torch.utils.data.dataloader import _BaseDataLoaderIter\n",
    },
    "variable": {"called": "from torch.autograd import Variable\nx = Variable(x)\n"},
}


def test_silent(find: Find, silent: tuple[str, str]) -> None:
    assert find(*silent) == []


def test_speaks(find_one: Find, speaks: tuple[str, str]) -> None:
    find_one(*speaks)


@pytest.mark.parametrize(
    ("version", "severity"), [("2.9.1", Severity.NOTE), ("2.10.0", Severity.BREAKS)]
)
def test_bottleneck_is_gone_from_torch_2_10_on(
    find: Find, version: str, severity: Severity
) -> None:
    code = "import torch.utils.bottleneck\n"

    (finding,) = find("bottleneck", code, TorchBuild(version=version))

    assert finding.severity is severity


@pytest.mark.parametrize(
    ("more", "severity", "unsafe"),
    [
        ("", Severity.SLOWS, ""),
        (
            ", non_blocking=True",
            Severity.NOTE,
            "the copy then waits for what the GPU has to do",
        ),
    ],
)
def test_a_copy_that_does_not_wait_may_be_worth_pinning(
    find_one: Callable[..., Finding], more: str, severity: Severity, unsafe: str
) -> None:
    code = f"def f(x):\n    return x.pin_memory().to(d{more})\n"

    found = find_one("pin_then_copy", code)

    assert found.severity is severity
    assert found.remedies[0].unsafe == unsafe
