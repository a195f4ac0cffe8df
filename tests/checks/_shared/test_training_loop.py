"""What several checks conclude from one loop over a loader, or from none."""

import pytest

from pipedoctor.check import Check, Severity
from pipedoctor_checks.loader.in_memory_with_workers import in_memory_with_workers
from pipedoctor_checks.loader.num_workers_zero import num_workers_zero
from pipedoctor_checks.loader.pin_memory_missing import pin_memory_missing
from pipedoctor_checks.training.pinned_blocking import pinned_blocking
from pipedoctor_checks.training.sync_in_loop import sync_in_loop
from tests.checks.code_samples import GPU_STEP, batch_loop, cache_dataset, find
from tests.checks.image_samples import PHOTOS

ONE_EVALUATION = """
def {name}(device="cuda"):
    for x in DataLoader(Photos(files), num_workers=2{pinned}):
        print(net(x.to(device)).item())
"""
MAIN_GUARD_LOOP = (
    cache_dataset("return Image.open(self.path)")
    + 'if __name__ == "__main__":\n    for x in DataLoader(Rows(9){}):\n'
    + "        x = x.cuda()\n        {}\n"
)
SUM_LOOP = """
loader = DataLoader(rows, num_workers=2, pin_memory=True)

def main(device="cuda"):
    {before}
        loss = net(x.to(device))
        loss.backward()
        total += loss.item()
        {then}
"""
ARRAY_TRAINING = """
class Kept(Dataset):
    def __init__(self):
        self.rows = np.load("rows.npy")
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return self.rows[index]

def main(device="cuda"):
    for x in DataLoader(Kept(), {}):
        net(x.to(device)).backward()
"""


@pytest.mark.parametrize(("name", "found"), [("predict", 0), ("score", 1)])
def test_what_only_shows_a_model_need_not_be_fast(name: str, found: int) -> None:
    code = PHOTOS.format(kept="pass", first="pass") + ONE_EVALUATION

    plain = code.format(name=name, pinned="")
    pinned = code.format(name=name, pinned=", pin_memory=True")

    assert len(find(pin_memory_missing, plain)) == found
    assert len(find(pinned_blocking, pinned)) == found
    assert len(find(sync_in_loop, plain)) == found


@pytest.mark.parametrize(
    ("then", "waits", "copies"),
    [
        ("pass", [Severity.SLOWS], 1),
        ("break", [], 0),
        ("return total", [], 0),
        ("assert total > 0", [Severity.NOTE], 1),
        ("assert other > 0", [Severity.SLOWS], 1),
        ("assert loss > 0", [Severity.NOTE], 1),
        ("assert torch.isfinite(loss)", [Severity.NOTE], 1),
        ("assert torch.isfinite(other)", [Severity.SLOWS], 1),
        ("assert loss is not None", [Severity.SLOWS], 1),
    ],
)
def test_one_batch_and_sums_that_decide(then: str, waits: list[Severity], copies: int) -> None:
    code = SUM_LOOP.format(before="for x in loader:", then=then)

    assert [finding.severity for finding in find(sync_in_loop, code)] == waits
    assert len(find(pinned_blocking, code)) == copies


def test_workers_that_only_copy_have_another_illness() -> None:
    code = ARRAY_TRAINING.format("num_workers=2")

    assert not find(pin_memory_missing, code)
    assert find(in_memory_with_workers, code)


@pytest.mark.parametrize(
    ("check", "more"), [(num_workers_zero, ""), (pin_memory_missing, ", num_workers=2")]
)
@pytest.mark.parametrize(("then", "severity"), [("show(x)", "note"), ("x.backward()", "slows")])
def test_a_data_set_that_is_only_tried_out(
    check: Check[...], more: str, then: str, severity: str
) -> None:
    (finding,) = find(check, MAIN_GUARD_LOOP.format(more, then))

    assert finding.severity is Severity[severity.upper()]


@pytest.mark.parametrize(
    ("guard", "found"),
    [
        ("step < 3", 0),
        ("plots and ni == 3", 0),
        ("plots and batch_i < 12", 0),
        ("step > 3", 1),
        ("step < 300", 1),
        ("kind < 3", 1),
        ("step < 0", 1),
        ("late or early and step < 3", 1),
        ("accumulation_steps == 1", 1),
    ],
)
def test_what_is_read_in_the_first_steps_is_occasional(guard: str, found: int) -> None:
    code = batch_loop(f"{GPU_STEP}if {guard}:\n    print(loss.item())")

    assert len(find(sync_in_loop, code)) == found


@pytest.mark.parametrize(
    ("given", "found"), [("False", 0), ("True", 1), ("None", 1), ("read()", 1)]
)
def test_a_flag_that_is_taken_back_asks_for_one_read(given: str, found: int) -> None:
    guarded = f"if self.report:\n    self.report = {given}\n    print(loss.item())"
    code = batch_loop(GPU_STEP + guarded)

    assert len(find(sync_in_loop, code)) == found
