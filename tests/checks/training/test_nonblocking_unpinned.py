"""PDR401: a copy that cannot overlap."""

from pipedoctor_checks.training.nonblocking_unpinned import nonblocking_unpinned
from tests.checks.code_samples import GPU_COLLATE, MODEL_PARSE, batch_loop, make_tests, model_loop

SILENT = {
    "pinned": batch_loop("x.to(device, non_blocking=True)"),
    "perhaps": batch_loop("x.to(device, non_blocking=True)", "pin_memory=data.pin"),
    "blocking": batch_loop("x.to(device)", "num_workers=2"),
    "made on the GPU": batch_loop(
        "x.to(device, non_blocking=True)", "collate_fn=collate", top=GPU_COLLATE
    ),
    "pins its own": batch_loop("x = x.pin_memory().cuda(non_blocking=True)"),
}
SPEAKS = {
    "not pinned": batch_loop("x.to(device, non_blocking=True)", "num_workers=2"),
    "without blocking, by a function": MODEL_PARSE.format(how=True)
    + model_loop("net.parse(batch=batch)"),
}
test_silent, test_speaks = make_tests(nonblocking_unpinned, SILENT, SPEAKS)


def test_the_loader_that_pins_nothing_explains_it() -> None:
    assert nonblocking_unpinned.after == ("PDR103",)
