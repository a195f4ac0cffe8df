"""PDR503: each epoch has the same order."""

from pipedoctor_checks.randomness.set_epoch_missing import set_epoch_missing
from tests.checks.code_samples import find_one, make_tests

DISTRIBUTED_TRAINING = """
from torch.utils.data.distributed import DistributedSampler
def main(data):
    sampler = DistributedSampler(data{more})
    train_loader = DataLoader(data, sampler=sampler)
    for epoch in range(9):
        {then}
        for x in train_loader:
            net(x).backward()
"""
NOBODY_CALLS = """
from torch.utils.data.distributed import DistributedSampler
class Engine:
    def {name}_dataloader(self):
        sampler = DistributedSampler(self.rows)
        return DataLoader(self.rows, sampler=sampler)
    def fit(self, batches):
        for epoch in range(9):
            for x in batches:
                loss = self.net(x)
                loss.backward()
                self.optimizer.step()
"""
SILENT = {
    "to validate, as nobody calls": NOBODY_CALLS.format(name="val"),
    "told": DISTRIBUTED_TRAINING.format(more="", then="sampler.set_epoch(epoch)"),
    "not shuffled": DISTRIBUTED_TRAINING.format(more=", shuffle=False", then="pass"),
    "the Trainer of transformers": "from transformers import Trainer\n"
    + DISTRIBUTED_TRAINING.format(more="", then="pass"),
    "Lightning": "import lightning\n" + DISTRIBUTED_TRAINING.format(more="", then="pass"),
}
SPEAKS = {
    "a model of transformers": "from transformers import AutoModel\n"
    + DISTRIBUTED_TRAINING.format(more="", then="pass"),
    "never": DISTRIBUTED_TRAINING.format(more="", then="pass"),
    "nobody calls what makes it": NOBODY_CALLS.format(name="train"),
}
test_silent, test_speaks = make_tests(set_epoch_missing, SILENT, SPEAKS)

MADE_ELSEWHERE = """
from torch.utils.data.distributed import DistributedSampler
def prepare(data):
    sampler = DistributedSampler(data)
    train_loader = DataLoader(data, sampler=sampler)
    return train_loader
def train(data):
    train_loader = prepare(data)
    for epoch in range(9):
        for x in train_loader:
            net(x).backward()
"""


def test_a_sampler_of_another_function_goes_by_its_loader() -> None:
    own = find_one(set_epoch_missing, DISTRIBUTED_TRAINING.format(more="", then="pass"))
    elsewhere = find_one(set_epoch_missing, MADE_ELSEWHERE)

    assert own.remedies[0].snippet == "sampler.set_epoch(epoch)"
    assert elsewhere.remedies[0].snippet == "train_loader.sampler.set_epoch(epoch)"
