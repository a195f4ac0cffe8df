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
SILENT = {
    "told": DISTRIBUTED_TRAINING.format(more="", then="sampler.set_epoch(epoch)"),
    "not shuffled": DISTRIBUTED_TRAINING.format(more=", shuffle=False", then="pass"),
    "Lightning": "import lightning\n" + DISTRIBUTED_TRAINING.format(more="", then="pass"),
}
SPEAKS = {"never": DISTRIBUTED_TRAINING.format(more="", then="pass")}
test_silent, test_speaks = make_tests(set_epoch_missing, SILENT, SPEAKS)
