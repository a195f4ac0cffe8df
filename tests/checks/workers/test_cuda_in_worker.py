"""PDR301: code for items touches the GPU."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.workers.cuda_in_worker import cuda_in_worker
from tests.checks.code_samples import find_one, make_tests, rows_dataset

CHOSEN = "device = {}\n" + rows_dataset(item="return x.to(device)")
DEVICE_OPTION = (
    "\nimport argparse\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--device', default='cuda')\nargs = parser.parse_args()\n"
)
SILENT = {
    "in the loop": rows_dataset() + "    for x in loader:\n        x.cuda()\n",
    "a device that may be the CPU": rows_dataset(item="return x.to(self.device)"),
    "where the item lies": rows_dataset(
        item="x = self.rows[index].reshape(3)\nreturn torch.arange(3, device=x.device)"
    )
    + DEVICE_OPTION,
    "where an argument lies": "def boxes(masks):\n    if masks.numel() == 0:\n"
    "        return torch.zeros((0, 4), device=masks.device)\n"
    + rows_dataset(item="return boxes(self.rows[index])")
    + DEVICE_OPTION,
    "where the first of them lies": "def collate(rows):\n    device = rows[0].device\n"
    "    return torch.zeros(3, device=device)\n"
    + rows_dataset(more=", collate_fn=collate")
    + DEVICE_OPTION,
    "the CPU": CHOSEN.format("torch.device('cpu')"),
    "one or the other": CHOSEN.format("'cuda' if index else 'cpu'"),
    "a tensor of its own on the host": rows_dataset(item="return torch.zeros(3, device='cpu')"),
    "asked only": rows_dataset(item="return torch.cuda.is_available()"),
}
SPEAKS = {
    "moved": rows_dataset(item="return x.cuda()"),
    "by name": rows_dataset(item="return x.to('cuda:0')"),
    "by a device": rows_dataset("self.d = torch.device('cuda')", "return x.to(self.d)"),
    "where there is one": CHOSEN.format("'cuda' if torch.cuda.is_available() else 'cpu'"),
    "by its number": CHOSEN.format("torch.device(f'cuda:{index}')"),
    "by a keyword": rows_dataset(item="return x.to(device='cuda')"),
    "by an option": rows_dataset(item="return x.to(args.device)") + DEVICE_OPTION,
    "by an option of a dictionary": "def collate(rows, args):\n"
    "    return torch.zeros(3, device=args['device'].device)\n"
    + rows_dataset(more=", collate_fn=collate")
    + DEVICE_OPTION,
    "made there": rows_dataset(item="return torch.zeros(3, device='cuda')"),
    "in the collate function": "def one(x):\n    return x.cuda()\n"
    + rows_dataset(more=", collate_fn=one"),
    "by the device that a partial gives": "from functools import partial\n"
    "def one(device, x):\n    return x.to(device)\n"
    + rows_dataset(more=", collate_fn=partial(one, 'cuda')"),
    "in a function that a lambda calls": "def one(x, n):\n    return x.cuda()\n"
    + rows_dataset(more=", collate_fn=lambda rows: one(rows, 3)"),
}
test_silent, test_speaks = make_tests(cuda_in_worker, SILENT, SPEAKS)
MOVED = "return x.cuda()"
UNUSED = rows_dataset(item=MOVED).partition("\ndef main")[0]
GRADED = {
    "workers": (rows_dataset(item=MOVED), Severity.BREAKS),
    "none": (rows_dataset(item=MOVED, workers=0), Severity.NOTE),
    "somebody else's loader has them": (
        rows_dataset(item=MOVED, workers=0) + "    DataLoader(others(), num_workers=4)\n",
        Severity.NOTE,
    ),
    "as many as somebody says": (
        rows_dataset(item=MOVED).replace("num_workers=2", "num_workers=count()"),
        Severity.RISKS,
    ),
    "no loader is seen": (UNUSED, Severity.RISKS),
}


@pytest.mark.parametrize(("code", "severity"), GRADED.values(), ids=GRADED)
def test_it_breaks_only_in_workers(code: str, severity: Severity) -> None:
    assert find_one(cuda_in_worker, code).severity is severity
