"""PDR406: batches are augmented between loader and GPU."""

from pipedoctor_checks.training.main_process_augment import main_process_augment
from tests.checks.code_samples import GPU_STEP, batch_loop, make_tests

SILENT = {
    "there and back with nothing between": batch_loop(
        "x = x.numpy()\nx = torch.Tensor(x)\nx.cuda()"
    ),
    "there and back at once": batch_loop("x = torch.from_numpy(x.numpy())\nx.cuda()"),
    "results": batch_loop(GPU_STEP + "z = loss.detach().cpu().numpy()"),
    "a transform on the device": "from torchvision import transforms\n"
    "cut = transforms.RandomCrop(32)\n" + batch_loop("x = x.cuda()\nx = cut(x)"),
    "a part of it": batch_loop("torch.from_numpy(x.numpy()[:, 1:9]).cuda()"),
    "rows of something else": batch_loop("torch.from_numpy(table[x.numpy()]).cuda()"),
    "a picture that is shown": "from torchvision import transforms\n"
    "cut = transforms.RandomCrop(32)\n" + batch_loop("z = cut(x)\nplt.imshow(z)\nnet(x.cuda())"),
    "a single evaluation": "def test(loader):\n    net.eval()\n    with torch.no_grad():\n"
    "        for x in loader:\n            y = torch.from_numpy(x.numpy()[::-1].copy())\n"
    "            z = net(x.cuda()) + net(y.cuda())\n",
    "not back again": batch_loop("z = x.numpy()"),
}
TRANSFORM = "from torchvision import transforms\ncut = transforms.RandomCrop(32)\n"
SPEAKS = {
    "changed in place": batch_loop(
        "x = x.numpy()\nx[:, 0] = turn(x[:, 0])\nx = torch.Tensor(x)\nx.cuda()"
    ),
    "changed by a function": batch_loop("x = x.numpy()\nturn(x)\nx = torch.Tensor(x)\nx.cuda()"),
    "there and back": batch_loop("x = x.numpy()\nx = turn(x)\nx = torch.Tensor(x)\nx.cuda()"),
    "under another name": batch_loop("y = x.numpy()\nz = y[::-1]\nx = torch.Tensor(z)\nx.cuda()"),
    "in a function, before the loss": "def turn(rows):\n"
    "    return torch.stack([torch.from_numpy(one.numpy()[::-1]) for one in rows])\n"
    + batch_loop("x = turn(x)\nx = x.cuda()\nloss = error(net(x))\nloss.backward()"),
    "by a transform": TRANSFORM + batch_loop("x = cut(x)\nx.cuda()"),
}
test_silent, test_speaks = make_tests(main_process_augment, SILENT, SPEAKS)
