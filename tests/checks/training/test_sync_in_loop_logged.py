"""PDR403: what is advised where Lightning logs what a step reads, or a condition asks."""

import pytest

from pipedoctor_checks.training.sync_in_loop import sync_in_loop
from tests.checks.code_samples import HEAD, batch_loop, find


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("self.log('loss', loss.item())", "self.log('loss', loss)"),
        (
            "self.log('loss', value=loss.item(), on_epoch=True)",
            "self.log('loss', value=loss, on_epoch=True)",
        ),
        (
            "self.write('loss', loss.item())",
            "loss_sum = loss_sum + loss.detach()  # 0 before the loop; loss_sum.item() after it",
        ),
    ],
)
def test_lightning_logs_tensors(call: str, line: str) -> None:
    code = (
        f"{HEAD}import lightning as L\n\nclass Net(L.LightningModule):\n"
        "    def training_step(self, batch, number):\n        loss = self.net(batch).mean()\n"
        f"        {call}\n        return loss\n# cuda\n"
    )

    (finding,) = find(sync_in_loop, code)

    assert [remedy.snippet for remedy in finding.remedies] == [line]


@pytest.mark.parametrize(
    ("read", "title"),
    [
        ("same(y)", "Test the value at intervals"),
        ("same(y)\ntotal += y.sum().item()", "Accumulate on the device"),
    ],
)
def test_what_is_only_asserted_is_not_added_up(read: str, title: str) -> None:
    top = "def same(y):\n    assert torch.allclose(y, y.t())\n"
    code = batch_loop("y = net(x.cuda())\ny.sum().backward()\n" + read, top=top)

    (finding,) = find(sync_in_loop, code)

    assert finding.remedies[0].title.startswith(title)


LOGGED = """
def train(loader):
    for step, x in enumerate(loader):
        y = net(x.cuda(non_blocking=True))
        y.mean().backward()
        log = {{}}
        if step % 100 == 0:
            log["image"] = {kept}
        wandb.log(log)
"""


@pytest.mark.parametrize(("kept", "found"), [("wandb.Image(y)", 0), ("show(y)", 1)])
def test_pictures_of_wandb_are_on_the_host(kept: str, found: int) -> None:
    assert len(find(sync_in_loop, LOGGED.format(kept=kept))) == found
