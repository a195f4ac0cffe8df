"""PDR506: a dataset resets everybody's random numbers."""

from pipedoctor_checks.randomness.global_reseed_in_dataset import global_reseed_in_dataset
from tests.checks.code_samples import find, make_tests, rows_dataset

RESET = """
class {name}(Dataset):
    def __init__(self):
        random.seed(7)
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return read(index)
"""
SEED_OPTION = """
class Rows(Dataset):
    def __init__(self, options):
        random.seed({seed})
    def __getitem__(self, index):
        return index
"""
SEED_IN_INIT = """
class Colored(Dataset):
    def __init__(self):
        before = np.random.get_state()
        np.random.seed(3)
        self.colors = np.random.rand(9)
        {after}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return self.colors[index]
"""
SILENT = {
    "drawn": rows_dataset(item="random.seed(np.random.randint(9))"),
    "its own": rows_dataset("self.r = random.Random(1)"),
    "where items are checked": rows_dataset(item="if self.fixed: random.seed(1)"),
    "in the script": rows_dataset() + "    random.seed(1)\n",
    "drawn by a function": SEED_OPTION.format(seed="draw()"),
    "put back": SEED_IN_INIT.format(after="np.random.set_state(before)"),
}
SPEAKS = {
    "made": rows_dataset("random.seed(1234)"),
    "for each item": rows_dataset(item="random.seed(1234)"),
    "seeded by a setting": SEED_OPTION.format(seed="options.seed"),
    "never put back": SEED_IN_INIT.format(after="pass"),
}
test_silent, test_speaks = make_tests(global_reseed_in_dataset, SILENT, SPEAKS)


def test_data_sets_that_reset_random_numbers_are_said_once() -> None:
    code = RESET.format(name="One") + RESET.format(name="Two")

    (finding,) = find(global_reseed_in_dataset, code)

    assert finding.summary == (
        "One.__init__ and 1 more reseed the global random generators: random.seed"
    )
