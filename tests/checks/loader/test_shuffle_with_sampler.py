"""PDR108: both shuffle and a sampler."""

from pipedoctor_checks.loader.shuffle_with_sampler import shuffle_with_sampler
from tests.checks.code_samples import loader_call, make_tests

SILENT = {
    "only without": loader_call("Images(), shuffle=(sampler is None), sampler=sampler"),
    "no sampler": loader_call("Images(), shuffle=True, sampler=None"),
    "not shuffled": loader_call("Images(), shuffle=False, sampler=Sampler(x)"),
    "perhaps none": loader_call("Images(), shuffle=True, sampler=sampler"),
    "only without, in a dictionary": """
        class Images(Dataset):
            def __getitem__(self, index):
                return Image.open(self.files[index])

        class Data:
            def choose(self):
                return None

            def make(self):
                sampler = self.choose()
                more = {"shuffle": True} if sampler is None else {}
                return DataLoader(Images(), sampler=sampler, batch_size=4, **more)
    """,
}
SPEAKS = {
    "both": loader_call("Images(), shuffle=True, sampler=Sampler(x)"),
    "a batch sampler": loader_call("Images(), shuffle=True, batch_sampler=Sampler(x)"),
}
test_silent, test_speaks = make_tests(shuffle_with_sampler, SILENT, SPEAKS)
