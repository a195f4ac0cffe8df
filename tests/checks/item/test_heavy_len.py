"""PDR212: the length of a dataset is work."""

from pipedoctor_checks.item.heavy_len import heavy_len
from tests.checks.code_samples import frames, make_tests

SILENT = {
    "a length": frames(),
    "of the loaders that it is made of": "class A(Dataset):\n    def __len__(self):\n"
    "        return min(len(x) for x in self.dataloaders)\n"
    "    def __getitem__(self, i):\n        return i\n",
}
SPEAKS = {
    "a sum": "class A(Dataset):\n    def __len__(self):\n"
    "        return sum(len(x) for x in self.files)\n"
    "    def __getitem__(self, i):\n        return i\n"
}
test_silent, test_speaks = make_tests(heavy_len, SILENT, SPEAKS)
