"""PDR503: each epoch has the same order."""

from pipedoctor_checks.randomness.set_epoch_missing import set_epoch_missing
from tests.checks.code_samples import make_tests

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
