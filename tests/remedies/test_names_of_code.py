"""A remedy for code says the names of that code, or makes those that it says."""

import ast
import builtins
import re

import pytest

from pipedoctor.check import Check, Remedy
from pipedoctor.check.page import BAD_EXAMPLE, read_example
from pipedoctor.facts import Facts
from pipedoctor_checks.item.heavy_len import heavy_len
from pipedoctor_checks.item.text_parse_per_item import text_parse_per_item
from pipedoctor_checks.randomness.epoch_state_in_persistent_worker import (
    epoch_state_in_persistent_worker,
)
from pipedoctor_checks.randomness.global_reseed_in_dataset import global_reseed_in_dataset
from pipedoctor_checks.training.side_stream_no_record import side_stream_no_record
from pipedoctor_checks.training.sync_in_loop import sync_in_loop
from pipedoctor_checks.workers.handle_in_init import handle_in_init
from pipedoctor_checks.workers.start_method import start_method
from tests.checks.code_samples import HEAD, frames, read, rows_dataset
from tests.checks.test_examples import HAZARDS, PROJECTS

SHAPES = {
    "text-parse-per-item": [
        frames("rows = np.loadtxt(self.files[index])"),
        frames("with open(self.files[index]) as f:\n    rows = json.load(f)"),
    ],
    "unpickle-per-item": [
        frames("return torch.load(self.files[index])"),
        frames("with open(self.files[index], 'rb') as f:\n    return pickle.load(f)"),
    ],
    "dir-scan-per-item": [frames("x = list(self.folder.glob('*.png'))")],
    "handle-in-init": [
        rows_dataset("self.f = open('x', 'rb')\nself.g = open('y')", "self.f.read(self.g)"),
        "import os\n"
        + rows_dataset(
            "root = '.'\nself.f = h5py.File(os.path.join(root, 'x'))\nself.g = h5py.File('y')",
            "self.f[self.g]",
        ),
    ],
    "persistent-with-zero-workers": [
        "def main(d, keep=True, n=0):\n    DataLoader(d, num_workers=n, persistent_workers=keep)\n"
    ],
    "num-workers-hardcoded": [
        "def main(data):\n    n = os.cpu_count() // 2\n    DataLoader(data, num_workers=n)\n"
    ],
    "swallowed-exception-in-item": [
        frames("try:\n    return read(index)\nexcept Exception:\n    return self[0]")
    ],
}
"""Code that no edit mends: the remedy is a snippet."""
NEW_NAMES = {"length", "all_items", "f_pid", "g_pid", "file_pid", "names", "parsed", "ends", "data"}
"""Names of `self` that a snippet makes."""
LIBRARIES = {"DataLoader", "logging", "np", "torch"}


def list_free_names(snippet: str) -> set[str]:
    """Names that a snippet reads, and does not make itself."""
    if snippet.startswith("python -m "):
        return set()
    head = "try:\n    pass\n" if snippet.startswith("except ") else ""
    tree = ast.parse(head + snippet + ("\n    ..." if snippet.endswith(":") else ""))
    nodes = [*ast.walk(tree)]
    made = {
        a.asname or a.name
        for n in nodes
        if isinstance(n, (ast.Import, ast.ImportFrom))
        for a in n.names
    }
    made |= {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ExceptHandler)) if n.name}
    made |= {n.name for n in nodes if isinstance(n, ast.ClassDef)}
    made |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    made |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    read_names = {n.id for n in nodes if isinstance(n, ast.Name)}
    read_names |= {n.attr for n in nodes if isinstance(n, ast.Attribute) and _is_self(n.value)}
    return read_names - made - set(dir(builtins)) - NEW_NAMES - LIBRARIES


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def list_snippets(check: Check[...], code: str) -> list[Remedy]:
    """The remedies that show a snippet: where there are edits, they are shown instead."""
    found = check.run(Facts(read(code, **PROJECTS.get(check.name, {})))).findings
    assert found
    return [one for finding in found for one in finding.remedies if one.snippet and not one.edits]


@pytest.mark.parametrize("check", HAZARDS, ids=lambda check: check.name)
def test_a_snippet_says_the_names_of_the_code(check: Check[...]) -> None:
    for code in (read_example(check, BAD_EXAMPLE), *SHAPES.get(check.name, ())):
        own = {*re.findall(r"\w+", HEAD + code)}
        for remedy in list_snippets(check, code):
            assert not list_free_names(remedy.snippet) - own, remedy.snippet


def test_every_shape_is_of_a_check() -> None:
    assert SHAPES.keys() <= {check.name for check in HAZARDS}


def test_an_opening_takes_its_variables_along() -> None:
    (remedy, _) = list_snippets(handle_in_init, SHAPES["handle-in-init"][1])

    assert remedy.snippet.startswith("import os\n\nself.root = root  # in __init__\n")
    assert "h5py.File(os.path.join(self.root, 'x')), os.getpid()" in remedy.snippet


def test_an_array_is_stored_beside_its_text() -> None:
    (remedy,) = list_snippets(text_parse_per_item, SHAPES["text-parse-per-item"][0])

    assert remedy.snippet == (
        "np.save(str(self.files[index]) + '.npy', np.loadtxt(self.files[index]))"
        "  # once for each file, before the training\n"
        "np.load(str(self.files[index]) + '.npy', mmap_mode='r')  # for each item"
    )


def in_loop(body: str, before: str = "") -> str:
    """Training code whose loop has this body."""
    lines = [f"    {line}\n" for line in before.splitlines()]
    steps = [f"        {line}\n" for line in body.splitlines()]
    head = "def fit(data, net):\n    feed = DataLoader(data, num_workers=2, pin_memory=True)\n"
    return "".join([head, *lines, "    for clip in feed:\n", *steps])


OWN_CODE = [
    (
        sync_in_loop,
        in_loop("cost = net(clip.cuda())\ncost.backward()\nseen += cost.item()", "seen = 0.0"),
        "seen += cost.detach()  # seen.item() after the loop",
    ),
    (
        side_stream_no_record,
        in_loop(
            "with torch.cuda.stream(side):\n    moved = clip.to('cuda', non_blocking=True)\n"
            "net(moved).backward()",
            "side = torch.cuda.Stream()",
        ),
        "moved.record_stream(torch.cuda.current_stream())",
    ),
    (
        start_method,
        "torch.multiprocessing.set_start_method('forkserver')\n",
        "DataLoader(..., multiprocessing_context='forkserver')",
    ),
    (
        global_reseed_in_dataset,
        rows_dataset("torch.manual_seed(7)", "torch.rand(1)"),
        "rng = torch.Generator().manual_seed(7)",
    ),
    (
        global_reseed_in_dataset,
        rows_dataset("np.random.seed(7)", "np.random.rand(1)"),
        "rng = np.random.default_rng(7)",
    ),
    (
        heavy_len,
        (
            "class Rows(Dataset):\n    def __len__(self):\n"
            "        return len(os.listdir(self.top))\n"
            "    def __getitem__(self, index):\n        return index\n"
        ),
        "self.length = len(os.listdir(self.top))  # in __init__\n\nreturn self.length",
    ),
    (
        epoch_state_in_persistent_worker,
        rows_dataset("self.phase = 0", "index + self.phase") + "def fit():\n    data = Rows()\n"
        "    feed = DataLoader(data, num_workers=2, persistent_workers=True)\n"
        "    for turn in range(9):\n        data.phase = turn\n"
        "        for rows in feed:\n            print(rows)\n",
        (
            "self.phase = torch.zeros(1, dtype=torch.int64).share_memory_()  # in __init__\n"
            "data.phase.fill_(turn)  # in place of data.phase = turn\n"
            "# read it with self.phase.item()"
        ),
    ),
]
"""Code, and the snippet that says what to write in it."""


@pytest.mark.parametrize(("check", "code", "snippet"), OWN_CODE)
def test_a_snippet_is_for_this_code(check: Check[...], code: str, snippet: str) -> None:
    assert [one.snippet for one in list_snippets(check, code)][:1] == [snippet]
