"""A snippet put where it says leaves what the program prints, and ends the finding."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.check import Check
from pipedoctor_checks.compat.bottleneck import bottleneck
from pipedoctor_checks.item.text_parse_per_item import text_parse_per_item
from pipedoctor_checks.training.data_parallel import data_parallel
from pipedoctor_checks.training.unguarded_next import unguarded_next
from pipedoctor_checks.workers.cuda_in_worker import cuda_in_worker
from pipedoctor_checks.workers.python_object_list import python_object_list
from tests.checks.code_samples import find
from tests.fix.code.real_programs import ran

HEAD = """\
import csv
import json
import os

import torch
from torch.utils.data import DataLoader, Dataset

for number in range(4):
    with open(f"{number}.json", "w") as file:
        json.dump({"n": number, "box": [number, 1]}, file)
    with open(f"{number}.csv", "w") as file:
        file.write(f"a,b\\n{number},2\\n3,4\\n")


"""
ROWS = """\
class Rows(Dataset):
    def __init__(self, paths):
        self.paths = paths
        {init}

    def __len__(self):
        return 4

    def __getitem__(self, index):
        {item}


{tail}
"""
SHOW = """
data = Rows([f"{number}.%s" for number in range(4)])
print([data[number] for number in range(4)], [data[3], data[0]])
"""


def rows(item: str, init: str = "self.size = 4", kind: str = "json") -> str:
    return HEAD + ROWS.format(
        init=init.replace("\n", "\n        "),
        item=item.replace("\n", "\n        "),
        tail=(SHOW % kind).strip(),
    )


def put_first(code: str, snippet: str) -> str:
    """Imports and definitions before the program; the last line in the constructor."""
    *head, last = snippet.splitlines()
    filled = "        self.found.append((path, len(path)))\n"
    if filled not in code:
        filled = next(line for line in code.splitlines(True) if "self.found = [" in line)
    return "\n".join(head) + "\n" + code.replace(filled, f"{filled}        {last}\n")


def parse_first(code: str, snippet: str) -> str:
    """Lines of the constructor, and one that stands in place of a call."""
    made, _, used = snippet.partition("# in place of ")
    call, _, use = used.partition("\n")
    lines = "".join(f"        {line}\n" for line in made.splitlines())
    (old,) = [line for line in code.splitlines() if call in line]
    code = code.replace(old, old.replace(call, use))
    return code.replace("        self.size = 4\n", lines)


def begin_again(code: str, snippet: str) -> str:
    *head, last = snippet.splitlines()
    old = "    batches = iter(loader)\n"
    assert old in code
    return "\n".join(head) + "\n" + code.replace(old, f"    {last}\n")


def keep_on_host(code: str, snippet: str) -> str:
    new, old = snippet.split("  # in place of ")
    return code.replace(old, new)


TAKE = """
def main():
    loader = DataLoader(range(4), batch_size=2)
    batches = iter(loader)
    for step in range({steps}):
        print(next(batches).tolist())


main()
"""
CASES: dict[str, tuple[Check[...], str, Callable[[str, str], str]]] = {
    "json of a file": (
        text_parse_per_item,
        rows("with open(self.paths[index]) as f:\n    return json.load(f)"),
        parse_first,
    ),
    "json through variables": (
        text_parse_per_item,
        rows(
            "name = self.paths[index]\npath = os.path.join('.', name)\n"
            "with open(path) as f:\n    row = json.load(f)\nreturn row['box']"
        ),
        parse_first,
    ),
    "rows of a table": (
        text_parse_per_item,
        rows(
            "with open(self.paths[index], newline='') as f:\n"
            "    return [row['a'] for row in csv.DictReader(f)]",
            kind="csv",
        ),
        parse_first,
    ),
    "pairs": (
        python_object_list,
        rows(
            "return self.found[index]",
            "self.found = []\nfor path in paths:\n    self.found.append((path, len(path)))",
        ),
        put_first,
    ),
    "dictionaries": (
        python_object_list,
        rows("return self.found[index]", "self.found = [{'p': path, 'n': 1} for path in paths]"),
        put_first,
    ),
    "steps beyond the epoch": (unguarded_next, HEAD + TAKE.format(steps=2), begin_again),
    "what stays on the host": (
        cuda_in_worker,
        rows("x = torch.ones(2) * index\nreturn (x.cuda() if self.size > 9 else x).sum().item()"),
        keep_on_host,
    ),
}


def find_snippet(check: Check[...], code: str) -> str:
    (finding,) = find(check, {"train.py": code})
    return finding.remedies[0].snippet


@pytest.mark.parametrize("name", CASES)
def test_the_program_prints_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    check, code, put = CASES[name]
    monkeypatch.chdir(tmp_path)

    mended = put(code, find_snippet(check, code))

    assert mended != code
    before = ran(code)
    assert "Error" not in before
    assert ran(mended) == before
    assert find(check, {"train.py": mended}) == []


def test_training_goes_on_when_the_iterator_ends() -> None:
    pytest.importorskip("torch")
    code = HEAD.partition("for number")[0] + TAKE.format(steps=5)

    mended = begin_again(code, find_snippet(unguarded_next, code))

    assert "StopIteration" in ran(code)
    assert ran(mended).splitlines() == ["[0, 1]", "[2, 3]", "[0, 1]", "[2, 3]", "[0, 1]"]


def test_each_process_has_a_gpu_of_its_own() -> None:
    code = "import torch\n\ndef main(net):\n"
    code += "    self.net = torch.nn.DataParallel(net)\n    self.net.train()\n"

    snippet = find_snippet(data_parallel, code)

    assert "self.net = torch.nn.parallel.DistributedDataParallel(\n    net.to(rank)" in snippet
    assert snippet.endswith("--nproc-per-node=gpu train.py")
    mended = code.replace("    self.net = torch.nn.DataParallel(net)\n", indent(snippet))
    assert find(data_parallel, {"train.py": mended}) == []


def indent(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "item",
    [
        "with open(self.paths[index]) as f:\n    r = csv.reader(f)\n    return next(r), next(r)",
        "return json.load(open(self.paths[index + 1]))",
        "return json.load(open(self.paths[index], **self.options(index)))",
        "for path in self.paths:\n    print(json.load(open(path)))",
    ],
)
def test_what_one_list_does_not_name_is_not_parsed_first(item: str) -> None:
    assert find_snippet(text_parse_per_item, rows(item)) == ""


def test_the_profiler_of_the_command_line() -> None:
    (finding,) = find(bottleneck, {"my train.py": "import torch.utils.bottleneck\n"})

    assert finding.remedies[1].snippet == "python -m cProfile -s tottime 'my train.py'"
