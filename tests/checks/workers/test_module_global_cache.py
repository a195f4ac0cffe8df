"""PDR310: a cache of the module grows in each worker."""

from pipedoctor_checks.workers.module_global_cache import module_global_cache
from tests.checks.code_samples import make_tests, rows_dataset


def module_cache(value: str) -> str:
    return (
        "SEEN = {}\n\nclass Named(Dataset):\n    def __len__(self):\n        return 9\n"
        "    def __getitem__(self, name):\n"
        f"        SEEN[name] = {value}\n        return name\n"
    )


SILENT = {
    "emptied": "C = {}\n" + rows_dataset(item="C[index] = read(index)\nC.clear()"),
    "filled before": "C = {}\nC[0] = 1\n" + rows_dataset(item="C[index]"),
    "a flag": module_cache("True"),
}
SPEAKS = {
    "grows": "C = {}\n" + rows_dataset(item="C[index] = read(index)"),
    "a value": module_cache("read(name)"),
}
test_silent, test_speaks = make_tests(module_global_cache, SILENT, SPEAKS)
