"""PDR106: a loader that is made again for the next epoch has no workers to keep."""

import pytest

from pipedoctor_checks.loader.persistent_workers_missing import persistent_workers_missing
from tests.checks.code_samples import DATASETS, find

RENEWED = """
def build(rows):
    loader = DataLoader(Images(rows), num_workers=2)
    return {"train": (loader, rows)}
def main(net):
    data = build(0)
    for epoch in range(9):
        for x in data["train"][0]:
            net(x).backward()
        NEXT
"""


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("pass", 1),
        ("data = build(epoch)", 0),
        ("if epoch < 8:\n            data = build(epoch + 1)", 0),
    ],
)
def test_what_is_made_again_for_an_epoch_keeps_no_workers(after: str, found: int) -> None:
    code = DATASETS + RENEWED.replace("NEXT", after)

    assert len(find(persistent_workers_missing, code)) == found
