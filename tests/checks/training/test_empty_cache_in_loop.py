"""PDR408: the allocator's cache is emptied in every step."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.training.empty_cache_in_loop import empty_cache_in_loop
from tests.checks.code_samples import GPU_STEP, batch_loop, find_one, make_tests


def evaluation_loop(lines: str) -> str:
    return f"loader = DataLoader(data)\n\ndef main(net):\n    for x in loader:\n{lines}"


CALLED = "def tidy(x):\n    torch.cuda.empty_cache()\n\n"
SILENT = {
    "in what is called at an interval": CALLED
    + batch_loop(GPU_STEP + "if step % 100 == 0:\n    tidy(x)"),
    "where somebody asks for it": batch_loop(GPU_STEP + "if tidy:\n    torch.cuda.empty_cache()"),
    "after the loop": batch_loop(GPU_STEP, after="    torch.cuda.empty_cache()\n"),
    "at an interval": batch_loop(GPU_STEP + "if step % 100 == 0:\n    torch.cuda.empty_cache()"),
    "room for the next": evaluation_loop(
        "        y = net(x)\n        show(y)\n        del y\n        torch.cuda.empty_cache()\n"
    ),
}
SPEAKS = {
    "in what each step calls": CALLED + batch_loop(GPU_STEP + "tidy(x)"),
    "where there is a GPU": batch_loop(
        GPU_STEP + "if torch.cuda.is_available():\n    torch.cuda.empty_cache()"
    ),
    "where GPUs are asked for": batch_loop(
        GPU_STEP + "if args.n_gpus:\n    torch.cuda.empty_cache()"
    ),
    "each step": batch_loop(GPU_STEP + "torch.cuda.empty_cache()"),
    "nothing was deleted": evaluation_loop("        net(x)\n        torch.cuda.empty_cache()\n"),
    "deleted afterwards": evaluation_loop(
        "        y = net(x)\n        torch.cuda.empty_cache()\n        del y\n"
    ),
    "deleted before the loop": "del old\n"
    + evaluation_loop("        net(x)\n        torch.cuda.empty_cache()\n"),
    "it trains": evaluation_loop(
        "        y = net(x)\n        y.backward()\n        del y\n"
        "        torch.cuda.empty_cache()\n"
    ),
}
test_silent, test_speaks = make_tests(empty_cache_in_loop, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("name", "severity"), [("it trains", Severity.NOTE), ("each step", Severity.SLOWS)]
)
def test_a_training_that_makes_room_is_a_note(name: str, severity: Severity) -> None:
    assert find_one(empty_cache_in_loop, SPEAKS[name]).severity is severity
