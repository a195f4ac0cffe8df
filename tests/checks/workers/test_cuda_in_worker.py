"""PDR301: code for items touches the GPU."""

from pipedoctor_checks.workers.cuda_in_worker import cuda_in_worker
from tests.checks.code_samples import make_tests, rows_dataset

SILENT = {
    "in the loop": rows_dataset() + "    for x in loader:\n        x.cuda()\n",
    "a device that may be the CPU": rows_dataset(item="return x.to(self.device)"),
    "asked only": rows_dataset(item="return torch.cuda.is_available()"),
}
SPEAKS = {
    "moved": rows_dataset(item="return x.cuda()"),
    "by name": rows_dataset(item="return x.to('cuda:0')"),
    "in the collate function": "def one(x):\n    return x.cuda()\n"
    + rows_dataset(more=", collate_fn=one"),
}
test_silent, test_speaks = make_tests(cuda_in_worker, SILENT, SPEAKS)
