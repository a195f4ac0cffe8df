"""PDR205: objects are unpickled for every item."""

from pipedoctor_checks.item.unpickle_per_item import unpickle_per_item
from tests.checks.code_samples import frames, make_tests


def saving_dataset(keep: str) -> str:
    return (
        "class Stored(Dataset):\n    def __len__(self):\n        return 9\n"
        "    def __getitem__(self, index):\n"
        "        return torch.load(self.files[index])\n"
        f"    def write(self, index, sample):\n        {keep}\n"
    )


SILENT = {
    "plain arrays": frames("x = np.load(self.files[index])"),
    "once": frames(init="self.rows = pickle.load(open(files, 'rb'))"),
    "what it has saved": saving_dataset("torch.save(sample, self.files[index])"),
}
SPEAKS = {
    "pickle": frames("x = pickle.load(self.files[index])"),
    "torch": frames("x = torch.load(self.files[index])"),
    "objects of numpy": frames("x = np.load(index, allow_pickle=True)"),
    "what others have saved": saving_dataset("show(sample)"),
}
test_silent, test_speaks = make_tests(unpickle_per_item, SILENT, SPEAKS)
