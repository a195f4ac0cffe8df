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
METER = """
class Meter:
    def __init__(self):
        self.sum = self.count = 0

    def update(self, value, n=1):
        {body}


def main(device="cuda"):
    losses = Meter()
    for x in DataLoader(rows):
        loss = net(x.to(device))
        loss.backward()
        losses.update(loss, len(x))
"""
STEP = """
def step(x):
    loss = net(x.cuda())
    loss.backward()
    return {returned}


def main():
    total = 0
    for x in DataLoader(rows):
        loss = step(x)
        total += loss
"""
SILENT = {
    "of a function that returns a number": STEP.format(returned="loss.item()"),
    "of a function that returns it without its graph": STEP.format(returned="loss.detach()"),
    "a list of numbers": batch_loop(GPU_STEP + "kept.append(loss.item())"),
    "a list of other results": batch_loop(
        "y = net(x.cuda())\nloss = error(y)\nloss.backward()\nkept.append(y)"
    ),
    "a list that goes backward": batch_loop(
        "one = net(x.cuda())\none.backward()\nkept.append(one)\nloss = sum(kept)\nloss.backward()"
    ),
    "a list that goes backward at once": batch_loop(
        GPU_STEP + "kept.append(loss)\ntorch.stack(kept).sum().backward()"
    ),
    "a list of this batch": batch_loop("kept = []\n" + GPU_STEP + "kept.append(loss)"),
    "a list that is cleared": batch_loop(GPU_STEP + "kept.append(loss)\nkept.clear()"),
    "a meter of numbers": METER.format(body="self.sum += float(value) * n"),
    "a meter without graphs": METER.format(
        body="with torch.no_grad():\n            self.sum += value * n"
    ),
    "a meter that a decorator frees of graphs": METER.format(body="self.sum += value * n").replace(
        "    def update", "    @torch.no_grad()\n    def update"
    ),
    "a meter that keeps the last": METER.format(body="self.last = value"),
    "detached": batch_loop(GPU_STEP + "total += loss.detach()"),
    "a number": batch_loop(GPU_STEP + "total += loss.item()"),
    "itself": batch_loop("loss = net(x)\ntotal += loss\ntotal.backward()"),
    "of the parts of one batch": batch_loop(
        "total = 0\nfor part in x.cuda():\n    loss = net(part)\n    loss.backward()\n"
        "    total += loss"
    ),
    "taken off before": LOSS_SUM.format(then="loss = loss.detach().cpu()"),
    "a part that goes backward with its sum": batch_loop(
        "a = net(x.cuda())\nb = other(x.cuda())\nb += a\nloss = a + 2 * b\nloss.backward()"
    ),
    "itself, scaled": batch_loop("loss = net(x)\ntotal += loss\nscaler.scale(total).backward()"),
    "a number by then": LOSS_SUM.format(then="loss = loss.item()"),
}
SPEAKS = {
    "written out": batch_loop(GPU_STEP + "total = total + loss"),
    "a list": batch_loop(GPU_STEP + "kept.append(loss)"),
    "a list of pairs": batch_loop(GPU_STEP + "kept.append((epoch, loss))"),
    "a list in a dictionary": batch_loop(GPU_STEP + "history['loss'].append(loss)"),
    "a part of the loss": batch_loop(
        "a = net(x.cuda())\nb = other(x.cuda())\nloss = a + 2 * b\nloss.backward()\nkept.append(a)"
    ),
    "a sum of a part": batch_loop(
        "a = net(x.cuda())\nb = 2 * other(a).mean()\nloss = a + b\nloss.backward()\ntotal += b"
    ),
    "of a function that makes the step": STEP.format(returned="loss"),
    "of a step that returns it": "import lightning\nclass Net(lightning.LightningModule):\n"
    "    def training_step(self, batch, index):\n        loss = self.net(batch)\n"
    "        self.kept.append(loss)\n        return {'loss': loss}\n",
    "a meter": METER.format(body="self.sum += value * n"),
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
