"""PDR505: workers never hear of a new epoch."""

from pipedoctor_checks.randomness.epoch_state_in_persistent_worker import (
    epoch_state_in_persistent_worker,
)
from tests.checks.code_samples import make_tests

EPOCH_ATTRIBUTE = """
class Rows(Dataset):
    def __init__(self):
        self.epoch = {initial}
    def __getitem__(self, index):
        return self.epoch
def main():
    dataset = Rows()
    loader = DataLoader(dataset, num_workers=2, persistent_workers={kept})
    for epoch in range(9):
        dataset.epoch = epoch
        for x in loader:
            print(x)
"""
SETTER = "    def set_epoch(self, e):\n        self.epoch = e\n    def __getitem__"
EPOCH_METHOD = (
    EPOCH_ATTRIBUTE.format(initial=0, kept=True)
    .replace("dataset", "ds")
    .replace("    def __getitem__", SETTER)
    .replace("ds.epoch = epoch", "{name}.set_epoch(epoch)")
)
SILENT = {
    "workers end": EPOCH_ATTRIBUTE.format(initial=0, kept=False),
    "something else": EPOCH_ATTRIBUTE.format(initial=0, kept=True).replace(
        "        dataset.epoch", "        model = Model()\n        model.epoch"
    ),
}
SPEAKS = {
    "kept": EPOCH_ATTRIBUTE.format(initial=0, kept=True),
    "by another name": EPOCH_ATTRIBUTE.format(initial=0, kept=True).replace("dataset", "ds"),
    "by a method": EPOCH_METHOD.format(name="ds"),
    "by a method of what is handed in": EPOCH_METHOD.format(name="loader.dataset"),
}
test_silent, test_speaks = make_tests(epoch_state_in_persistent_worker, SILENT, SPEAKS)
