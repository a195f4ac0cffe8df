"""PDR403: what the host knows of tensors, and reads without a wait."""

from pipedoctor_checks.training.sync_in_loop import sync_in_loop
from tests.checks.code_samples import GPU_STEP, batch_loop, make_tests

PACKED = """
out = net(x)
if not isinstance(out, {kind}):
    raise TypeError
rows, sizes, order, back = out
n = int({asked}[0])
"""
REPORT = """
def report(loss, step, every=50):
    if {test}:
        return
    write(loss)

def write(loss):
    print(loss.item())
"""
FOUND = """
def evaluate(loader, net):
    for x in loader:
        with torch.no_grad():
            found = suppress(x, 80)
            {kept}
        for one in found:
            keep(one[4].item())

for epoch in range(9):
    evaluate(DataLoader(data), net)
# cuda
"""
SILENT = {
    "the number and the name of a part": batch_loop(
        GPU_STEP + "parts = net(x)\nfor i, (name, one) in enumerate(parts.items()):\n"
        "    print(i, name)\nfor i, one in enumerate(loss):\n    if i > 3:\n        print(int(i))"
    ),
    "a list of an array": batch_loop(
        GPU_STEP + "order = torch.sort(loss)[1]\nsteps(order.numpy().tolist())"
    ),
    "each of what was read at once": FOUND.format(kept="found = found[0].cpu().data"),
    "text that is made of text": batch_loop(
        GPU_STEP + "texts = net.read(x)\nfor text in texts:\n"
        "    text = re.sub('<.*?>', '', text)\n    report(f'read {text}')"
    ),
    "text of a tokenizer": batch_loop(
        GPU_STEP + "texts = tokenizer.batch_decode(net(x))\nreport(f'read {texts}')"
    ),
    "behind an interval that has returned": REPORT.format(test="(step + 1) % every != 0")
    + batch_loop(GPU_STEP + "report(loss, step)"),
    "behind an interval that goes on with the next": batch_loop(
        GPU_STEP + "if step % 50:\n    continue\nprint(loss.item())"
    ),
    "the sizes of what is packed": batch_loop(
        GPU_STEP + PACKED.format(kind="PackedSequence", asked="sizes")
    ),
    "the sizes of what is packed, by their name": batch_loop(
        GPU_STEP + "n = int(net(x).batch_sizes[0])"
    ),
    "an index by which results are put somewhere": batch_loop(
        GPU_STEP + "n = len(y)\nsums[n] += loss\nkept[:, n] = loss * 2\nprint(n)"
    ),
}
UPDATE = """
class Agent:
    def update(self, batch, step):
        if step % self.every != 0:
            return {}
        y = self.net(batch.cuda())
        self.improve(y)
        return {"reward": y.mean().item()}
    def improve(self, y):
        y.abs().mean().backward()
        self.optimizer.step()

def main(steps):
    agent = Agent()
    for step, x in enumerate(DataLoader(rows)):
        agent.update(x, step)
"""
SPEAKS = {
    "behind an interval of the training itself": UPDATE,
    "one element of the batch": batch_loop(
        "y = y.cuda(non_blocking=True)\ny = y[0]\nkept.append(int(y[0][1]))\n" + GPU_STEP
    ),
    "a determinant that decides": batch_loop(
        GPU_STEP + "for i in range(9):\n    d = torch.det(loss[i])\n    if d < 0:\n        flip(i)"
    ),
    "made by a type of the device": batch_loop(
        "kind = torch.cuda.FloatTensor if gpu else torch.FloatTensor\n"
        + GPU_STEP
        + "boxes = kind(rows)\nfit(boxes.cpu())"
    ),
    "a part beside its name": batch_loop(
        GPU_STEP + "parts = net(x)\nfor name, one in parts.items():\n    print(name, one)"
    ),
    "a part beside its number": batch_loop(
        GPU_STEP + "parts = net(x)\nfor i, one in enumerate(parts):\n    print(int(one))"
    ),
    "each of what was not read": FOUND.format(kept="found = found[0].data"),
    "text that is made of a result": batch_loop(
        GPU_STEP + "texts = net(x)\nfor text in texts:\n    report(f'read {text}')"
    ),
    "behind a return of another kind": REPORT.format(test="loss is None")
    + batch_loop(GPU_STEP + "report(loss, step)"),
    "before an interval": batch_loop(
        GPU_STEP + "print(loss.item())\nif step % 50:\n    continue\nwrite(step)"
    ),
    "the data of what is packed": batch_loop(
        GPU_STEP + PACKED.format(kind="PackedSequence", asked="rows")
    ),
    "one of four results": batch_loop(GPU_STEP + PACKED.format(kind="tuple", asked="sizes")),
    "what results are put in": batch_loop(GPU_STEP + "n = len(y)\nsums[n] += loss\nprint(sums)"),
}
test_silent, test_speaks = make_tests(sync_in_loop, SILENT, SPEAKS)
