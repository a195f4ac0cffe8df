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
    "taken off before": LOSS_SUM.format(then="loss = loss.detach().cpu()"),
    "a number by then": LOSS_SUM.format(then="loss = loss.item()"),
}
SPEAKS = {
    "a sum": batch_loop(GPU_STEP + "total += loss"),
    "never taken off": LOSS_SUM.format(then="shown = loss.detach()"),
    "taken off afterwards": LOSS_SUM.format(then="pass") + "        loss = loss.detach()\n",
}
test_silent, test_speaks = make_tests(loss_graph_accumulated, SILENT, SPEAKS)
