"""PDR411: tensors that functions make which a step comes to through others."""

from pipedoctor_checks.training.cpu_create_then_move import cpu_create_then_move
from tests.checks.code_samples import Code, make_tests

DEEP = """
class Codes(torch.nn.Module):
    def forward(self, x):
        return self.mix(x)
    def mix(self, x):
        raise NotImplementedError

class Random(Codes):
    def mix(self, x, mask=None, labels=None):
        {asked}:
            mask = torch.eye(len(x)).to(x.device)
        return mask @ x

def mean(x):
    if world_size() > 1:
        x = x + torch.ones(1).cuda()
    return x

def report(x):
    return mean(x)

def train(loader):
    for x in loader:
        loss = net(x.cuda())
        loss.backward()
        {step}
"""
STEP = {"asked": "if mask is None and labels is None", "step": "report(3)"}


def asking(condition: str) -> str:
    """Far below a step, where a condition holds."""
    return DEEP.format(**STEP | {"asked": "if self.mask is None"}).replace(
        "world_size() > 1", condition
    )


SAMPLING = """
def steps(x):
    for {turn} in range(99):
        t = torch.full((9,), 3, {placed}).to(device)
        with torch.no_grad():
            x = net(x, t)
    return x
"""
LOSS = """
def loss_of_sizes(y, names, parts=2):
    height, width = y.shape[-2:]
    return torch.tensor({numbers}).to(y.device) * y
"""
SILENT: dict[str, Code] = {
    "of what nobody knows": LOSS.format(numbers="[height, names]"),
    "of numbers in another type": LOSS.format(numbers="[y.float(), y.pow(2)]"),
    "of the largest of each row": LOSS.format(numbers="y.max(1)").replace("tensor", "as_tensor"),
    "of parts of what nobody knows": LOSS.format(numbers="[one.area for one in names]"),
    "in each epoch, before an evaluation": SAMPLING.format(turn="epoch", placed="dtype=torch.long"),
    "on the device": SAMPLING.format(turn="step", placed="device=device"),
    "for a model that is measured": "def measure(net):\n    net.eval()\n"
    "    data = torch.rand(1, 3, 9, 9)\n    net(data.cuda())\n    return net.count\n"
    "def train(net, loader):\n    for x in loader:\n        net(x.cuda()).backward()\n"
    "        count = measure(net)\n",
    "far below, and now and then": DEEP.format(
        asked="if self.mask is None", step="if step % 9 == 0: report(3)"
    ),
    "where somebody asks for more": asking("settings.logEvery"),
    "far below, of a program that never calls it": DEEP.format(
        asked="if 'mask' not in self.kept", step="pass"
    ),
}
SPEAKS: dict[str, Code] = {
    "of a shape": LOSS.format(numbers="[height, width / 2]"),
    "of a number": LOSS.format(numbers="np.log(parts)"),
    "counted": LOSS.format(numbers="[(one + 1) / parts for one in range(parts)]"),
    "beside what needs no gradients": SAMPLING.format(turn="step", placed="dtype=torch.long"),
    "said to be on the host": SAMPLING.format(turn="step", placed="device='cpu'"),
    "in what a function of the step calls, among several machines": DEEP.format(
        **STEP | {"asked": "if self.mask is None"}
    ),
    "where a name only begins as a log does": asking("logits.dim() > 2"),
    "where an argument is not given, in a class below": DEEP.format(**STEP | {"step": "pass"}),
}

test_silent, test_speaks = make_tests(cpu_create_then_move, SILENT, SPEAKS)
