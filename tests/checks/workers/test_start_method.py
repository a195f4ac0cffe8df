"""PDR311: the start method is set by an import."""

from pipedoctor_checks.workers.start_method import start_method
from tests.checks.code_samples import make_tests

SILENT = {
    "in a function": "import multiprocessing as m\ndef f():\n    m.set_start_method('spawn')\n",
    "guarded": "import multiprocessing as m\nif __name__ == '__main__':\n"
    "    m.set_start_method('spawn')\n",
}
SPEAKS = {"imported": "import torch.multiprocessing as m\nm.set_start_method('spawn')\n"}
test_silent, test_speaks = make_tests(start_method, SILENT, SPEAKS)
