"""PDR505: workers never hear of a new epoch."""

from pipedoctor_checks.randomness.epoch_state_in_persistent_worker import (
    epoch_state_in_persistent_worker,
)
from tests.checks.code_samples import find_one, make_tests

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
CLOSING = (
    EPOCH_ATTRIBUTE.format(initial=0, kept=True)
    .replace(
        "    def __getitem__", "    def close(self):\n        self.{key} = 1\n    def __getitem__"
    )
    .replace("dataset.epoch = epoch", "if epoch >= 5:\n            dataset.close()")
)
SILENT = {
    "a method that sets what no item reads": CLOSING.format(key="counted"),
    "a method before the epochs": CLOSING.format(key="epoch").replace(
        "    for epoch in range(9):\n        if epoch >= 5:\n            dataset.close()\n",
        "    dataset.close()\n    for epoch in range(9):\n",
    ),
    "workers end": EPOCH_ATTRIBUTE.format(initial=0, kept=False),
    "something else": EPOCH_ATTRIBUTE.format(initial=0, kept=True).replace(
        "        dataset.epoch", "        model = Model()\n        model.epoch"
    ),
}
SPEAKS = {
    "by a method of another name": CLOSING.format(key="epoch"),
    "by a method that computes it": EPOCH_METHOD.format(name="ds").replace(
        "self.epoch = e\n", "self.epoch = e < 5\n"
    ),
    "kept": EPOCH_ATTRIBUTE.format(initial=0, kept=True),
    "by another name": EPOCH_ATTRIBUTE.format(initial=0, kept=True).replace("dataset", "ds"),
    "by a method": EPOCH_METHOD.format(name="ds"),
    "by a method of what is handed in": EPOCH_METHOD.format(name="loader.dataset"),
}
test_silent, test_speaks = make_tests(epoch_state_in_persistent_worker, SILENT, SPEAKS)


def test_a_change_in_one_epoch_is_called_so() -> None:
    finding = find_one(epoch_state_in_persistent_worker, CLOSING.format(key="epoch"))

    assert finding.summary == (
        "self.epoch of Rows is changed between epochs, but its workers keep the first value"
    )
    assert finding.location is not None
    assert [one.line for one in finding.also_at] == [finding.location.line - 3]
