"""Failures that a job caught, as its work behind them says, and those that it did not."""

from collections.abc import Callable

import pytest

from pipedoctor.explanation.reasoning import Diagnosis

WORK = [f"step {number}00 loss 0.{9 - number}" for number in range(1, 7)]
MEMORY = "CUDA out of memory. Tried to allocate 2.00 GiB"
TRACEBACK = f"""Traceback (most recent call last):
  File "train.py", line 9, in step
    loss.backward()
torch.cuda.OutOfMemoryError: {MEMORY}"""
CAUGHT = {
    "raised, between the same steps": [*WORK[:2], TRACEBACK, *WORK[2:]],
    "printed, before all steps": [f"batch of 512: {MEMORY}", *WORK],
    "an error that nobody knows": [*WORK[:2], TRACEBACK.replace(MEMORY, "odd"), *WORK[2:]],
}
NOT_CAUGHT = {
    "raised, before all steps": [TRACEBACK, *WORK],
    "one more step": [*WORK[:2], TRACEBACK, WORK[2]],
    "the end of training": [f"training failed: {MEMORY}", *WORK],
    "the rank stops": [f"[rank1]: {MEMORY}", *(f"[rank0]: {row}" for row in WORK)],
    "steps begin anew": [*WORK, TRACEBACK, WORK[0], WORK[1]],
    "a later failure": [*WORK[:2], TRACEBACK, *WORK[2:], "Killed"],
}


@pytest.mark.parametrize("rows", CAUGHT.values(), ids=CAUGHT)
def test_work_goes_on(rows: list[str], diagnosed: Callable[[str], Diagnosis]) -> None:
    assert diagnosed("\n".join(rows)) == Diagnosis()


@pytest.mark.parametrize("rows", NOT_CAUGHT.values(), ids=NOT_CAUGHT)
def test_work_has_ended(rows: list[str], first: Callable[[str], str]) -> None:
    assert first("\n".join(rows)) == "gpu_out_of_memory"


def test_a_job_that_goes_on_without_its_gpu_is_ill(first: Callable[[str], str]) -> None:
    ill = "Failed to initialize NVML: Driver/library version mismatch"

    assert first("\n".join([*WORK[:2], ill, *WORK[2:]])) == "nvml_driver_library_mismatch"


def test_what_code_printed_yields_to_what_was_raised_behind_it(first: Callable[[str], str]) -> None:
    printed = "sample 14: IndexError('list index out of range') -> counted as 0"
    raised = TRACEBACK.replace(
        f"torch.cuda.OutOfMemoryError: {MEMORY}", "OSError: [Errno 28] No space left on device"
    )

    assert first(f"{printed}\n{raised}") == "disk_full"
    assert first(f"{raised}\n{printed}") == "user_code_bug"
