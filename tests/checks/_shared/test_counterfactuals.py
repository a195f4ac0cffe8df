"""What the remedy of a finding in code changes, so that its gain can be predicted."""

import pytest

from pipedoctor.check import Check, Counterfactual
from pipedoctor_checks.loader.in_memory_with_workers import in_memory_with_workers
from pipedoctor_checks.loader.num_workers_hardcoded import num_workers_hardcoded
from pipedoctor_checks.loader.num_workers_zero import num_workers_zero
from pipedoctor_checks.loader.persistent_workers_missing import persistent_workers_missing
from pipedoctor_checks.workers.cv2_threads import cv2_threads
from tests.checks.code_samples import find
from tests.checks.measured_samples import SLOW, SLOW_FIXED

LIGHT = "train = DataLoader(TensorDataset(torch.zeros(4)), num_workers=2)\n"
SLOW_EPOCHS = (
    SLOW.replace("batch_size=4", "batch_size=4, num_workers=2")
    + "for epoch in range(9):\n    for x in train:\n        pass\n"
)
CV2 = (
    SLOW.replace("np.asarray(Image.open(", "cv2.resize(cv2.imread(")
    .replace("[index]))", "[index]), (8, 8))")
    .replace("batch_size=4", "batch_size=4, num_workers=2")
)


@pytest.mark.parametrize(
    ("check", "code", "changes"),
    [
        (num_workers_zero, SLOW, Counterfactual(tuned=True)),
        (num_workers_hardcoded, SLOW_FIXED, Counterfactual(tuned=True)),
        (in_memory_with_workers, LIGHT, Counterfactual(workers=0)),
        (persistent_workers_missing, SLOW_EPOCHS, Counterfactual(persistent=True)),
        (cv2_threads, CV2, Counterfactual(one_thread=True)),
    ],
)
def test_what_the_remedy_changes(check: Check[...], code: str, changes: Counterfactual) -> None:
    (finding,) = find(check, code)

    assert finding.counterfactual == changes
