"""PDR502: workers draw the same numbers in every epoch."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.randomness.constant_worker_seed import constant_worker_seed
from tests.checks.code_samples import find, make_tests, rows_dataset

SEED_FUNCTION = "def seed(worker_id):\n    {}\n" + rows_dataset(more=", worker_init_fn=seed")
ONE_PASS = """
def seed(worker_id):
    np.random.seed(worker_id)

def main(device="cuda"):
    test_loader = DataLoader(rows, num_workers=2, worker_init_fn=seed)
    for x in test_loader:
        net(x)
"""
WORKER = """
class Rows(Dataset):
    def __getitem__(self, index):
        info = torch.utils.data.get_worker_info()
        if info is not None:
            worker_info = info
            np.random.seed({seed})
        return np.random.rand()
    def __len__(self):
        return 9
"""
DRAWS = """
class Crop:
    def __call__(self, rows):
        return rows[{draw}:]

class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform
    def __getitem__(self, index):
        return self.transform(self.rows[index])
    def __len__(self):
        return 9

def main(args):
    def seed(worker_id):
        random.seed(args.seed + worker_id)
    return DataLoader(Rows(Crop()), num_workers=2, worker_init_fn=seed)
"""


def main_guard_trial(loop: str, then: str = "") -> str:
    return (
        f'{then}\nif __name__ == "__main__":\n'
        "    def seeds(worker):\n        random.seed(7 + worker)\n"
        "    loader = DataLoader(data, num_workers=2, worker_init_fn=seeds)\n"
        f"    for x in loader:\n        {loop}\n"
    )


SILENT = {
    "of a generator that nobody draws from": DRAWS.format(draw="np.random.randint(9)"),
    "torch's, in a function within another": "def main(args):\n    def seed(worker_id):\n"
    "        np.random.seed((torch.initial_seed() + worker_id) % 2**32)\n"
    "    return DataLoader(rows, num_workers=2, worker_init_fn=seed)\n",
    "drawn by the system": SEED_FUNCTION.format("np.random.seed(uuid.uuid4().int % 2**32)"),
    "torch's": SEED_FUNCTION.format("np.random.seed(torch.initial_seed() % 2**32)"),
    "worker and time": SEED_FUNCTION.format("np.random.seed(worker_id + int(time.time()))"),
    "seeded by torch": WORKER.format(seed="worker_info.seed % 2**32"),
    "any word of the state": "def seed(worker_id):\n"
    "    torch.utils.data.get_worker_info()\n"
    "    np.random.seed(np.random.get_state()[1][pick()] + worker_id)\n"
    "loader = DataLoader(data, num_workers=2, worker_init_fn=seed)\n",
}
SPEAKS = {
    "of one of two generators that are drawn from": DRAWS.format(
        draw="np.random.randint(9) + random.randrange(9)"
    ),
    "in a function within another": "def main(args):\n    def seed(worker_id):\n"
    "        random.seed(args.seed + worker_id)\n"
    "    return DataLoader(rows, num_workers=2, worker_init_fn=seed)\n",
    "in a lambda": "loader = DataLoader(rows, num_workers=2,\n"
    "    worker_init_fn=lambda worker_id: np.random.seed(worker_id))\n",
    "by worker": SEED_FUNCTION.format("np.random.seed(worker_id)"),
    "constant": SEED_FUNCTION.format("random.seed(1)"),
    "a partial": "from functools import partial\ndef seed(i, base):\n"
    "    random.seed(i + base)\n" + rows_dataset(more=", worker_init_fn=partial(seed, base=1)"),
    "seeded by the number of the worker": WORKER.format(seed="worker_info.id + 1"),
    "the first word of the state": "def seed(worker_id):\n"
    "    if torch.utils.data.get_worker_info().dataset.plain:\n"
    "        return np.random.seed(torch.initial_seed())\n"
    "    np.random.seed(np.random.get_state()[1][0] + worker_id)\n"
    "loader = DataLoader(data, num_workers=2, worker_init_fn=seed)\n",
}
test_silent, test_speaks = make_tests(constant_worker_seed, SILENT, SPEAKS)
GRADED = {
    "only tried": (main_guard_trial("show(x)"), Severity.NOTE),
    "it trains there": (main_guard_trial("x.backward()"), Severity.BREAKS),
    "no main guard": (
        main_guard_trial("show(x)").replace("if __name__ ==", "if name =="),
        Severity.BREAKS,
    ),
}


@pytest.mark.parametrize(("code", "severity"), GRADED.values(), ids=GRADED)
def test_severity(code: str, severity: Severity) -> None:
    (finding,) = find(constant_worker_seed, code)

    assert finding.severity is severity


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (ONE_PASS, 0),
        (ONE_PASS.replace("net(x)", "net(x).backward()").replace("test_", ""), 1),
        (ONE_PASS.replace("worker_id)\n\n", "3)\n\n"), 1),
    ],
)
def test_one_pass_has_no_other_epochs(code: str, found: int) -> None:
    assert len(find(constant_worker_seed, code)) == found
