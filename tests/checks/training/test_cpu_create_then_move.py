"""PDR411: tensors are made on the CPU and then moved."""

from pipedoctor_checks.training.cpu_create_then_move import cpu_create_then_move
from tests.checks.code_samples import batch_loop, make_tests, rows_training

SILENT = {
    "there at once": batch_loop("z = torch.zeros(9, device=device)"),
    "once": "def f(device):\n    return torch.zeros(9).to(device)\n",
    "of what Python has, in a function": "def score(y):\n"
    "    return torch.tensor([1, 2]).cuda() + y\n"
    + rows_training("pass", "1").replace(
        "net(x).backward()", "y = net(x.cuda())\n" + " " * 12 + "score(y)"
    ),
    "once, in a function": "def score(x):\n    return torch.zeros(3).cuda() + x\n"
    "def main(x):\n    score(x.cuda())\n",
}
SPEAKS = {
    "each step": batch_loop("z = torch.zeros(9).to(device)"),
    "in a function of the loop": "def score(y):\n"
    "    return torch.zeros(3).cuda() + y\n"
    + rows_training("pass", "1").replace(
        "net(x).backward()", "y = net(x.cuda())\n" + " " * 12 + "score(y)"
    ),
}
test_silent, test_speaks = make_tests(cpu_create_then_move, SILENT, SPEAKS)
