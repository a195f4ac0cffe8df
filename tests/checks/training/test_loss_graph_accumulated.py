"""PDR409: the graph of every step is kept."""

from pipedoctor_checks.training.loss_graph_accumulated import loss_graph_accumulated
from tests.checks.code_samples import GPU_STEP, batch_loop, make_tests

LOSS_SUM = """
def main(device="cuda"):
    for x in DataLoader(rows):
        loss = net(x.to(device))
        loss.backward()
        {then}
        total += loss
"""
SILENT = {
    "detached": batch_loop(GPU_STEP + "total += loss.detach()"),
    "a number": batch_loop(GPU_STEP + "total += loss.item()"),
    "itself": batch_loop("loss = net(x)\ntotal += loss\ntotal.backward()"),
    "of the parts of one batch": batch_loop(
        "total = 0\nfor part in x.cuda():\n    loss = net(part)\n    loss.backward()\n"
        "    total += loss"
    ),
    "taken off before": LOSS_SUM.format(then="loss = loss.detach().cpu()"),
    "itself, scaled": batch_loop("loss = net(x)\ntotal += loss\nscaler.scale(total).backward()"),
    "a number by then": LOSS_SUM.format(then="loss = loss.item()"),
}
SPEAKS = {
    "a sum": batch_loop(GPU_STEP + "total += loss"),
    "of what is scaled": batch_loop(
        "loss = net(x.cuda())\nscaler.scale(loss / 4).backward()\ntotal += loss"
    ),
    "of each epoch": "def main(loader, net):\n    for epoch in range(9):\n        total = 0\n"
    "        for x in loader:\n            loss = net(x.cuda())\n            loss.backward()\n"
    "            total += loss\n",
    "never taken off": LOSS_SUM.format(then="shown = loss.detach()"),
    "taken off afterwards": LOSS_SUM.format(then="pass") + "        loss = loss.detach()\n",
}
test_silent, test_speaks = make_tests(loss_graph_accumulated, SILENT, SPEAKS)
