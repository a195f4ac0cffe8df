"""The way of a loader from where it is made to its loop, in every report."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.engine.flows import add_flows
from pipedoctor.facts import Facts
from tests.checks.code_samples import read

FILES = {
    "data.py": """from torch.utils.data import DataLoader

def build(rows):
    loader = DataLoader(rows, 64, shuffle=True, num_workers=4)
    return loader, len(rows)
""",
    "feed.py": """class Prefetcher:
    def __init__(self, source):
        self.source = source

    def __iter__(self):
        for batch in self.source:
            yield batch
""",
    "train.py": """import torch
from data import build
from feed import Prefetcher

class Trainer:
    def __init__(self, loader):
        self.loader = loader

    def train(self, net):
        for epoch in range(9):
            for x in self.loader:
                net(x.to("cuda")).backward()

def main(rows, net):
    loader, count = build(rows)
    Trainer(Prefetcher(loader)).train(net)
""",
}
FLOW = [
    ("made", "data.py", 4),
    ("returned by build()", "train.py", 15),
    ("wrapped by Prefetcher", "train.py", 16),
    ("handed to __init__()", "train.py", 16),
    ("kept as Trainer.loader", "train.py", 7),
    ("iterated", "train.py", 11),
]


def test_a_finding_tells_the_way_of_its_loader() -> None:
    check = get_catalogue().checks["PDR106"]
    facts = Facts(read(FILES))

    (verdict,) = add_flows([check.run(facts)], facts)

    (finding,) = verdict.findings
    steps = [(one.text, one.location.path, one.location.line) for one in finding.flow]
    assert steps == FLOW


def test_a_loader_of_the_same_function_has_no_way_to_tell() -> None:
    facts = Facts(
        read(
            "def main(rows, net):\n    loader = DataLoader(rows, num_workers=2)\n"
            "    for epoch in range(9):\n        for x in loader:\n            net(x).backward()\n"
        )
    )
    check = get_catalogue().checks["PDR106"]

    (verdict,) = add_flows([check.run(facts)], facts)

    (finding,) = verdict.findings
    assert not finding.flow


def test_a_report_that_names_a_loop_which_it_lacks_has_no_flow() -> None:
    source = read(FILES)
    strange = tuple(replace(loader, fed=(-1, 99)) for loader in source.loaders)

    assert add_flows([], Facts(replace(source, loaders=strange))) == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run_check(project: Path, style: str) -> str:
    options = ("--select", "PDR103", "--quick", "--fail-on", "never", "--no-cache")
    argv = (sys.executable, "-m", "pipedoctor", "check", ".", *options, "--format", style)
    done = subprocess.run(argv, cwd=project, capture_output=True, text=True, check=True)
    return done.stdout


def test_sarif_has_it_as_a_code_flow(project: Path) -> None:
    (run,) = json.loads(run_check(project, "sarif"))["runs"]

    (result,) = run["results"]
    (thread,) = result["codeFlows"][0]["threadFlows"]
    texts = [one["location"]["message"]["text"] for one in thread["locations"]]
    assert texts == [text for text, _, _ in FLOW]


def test_text_and_html_tell_it_in_a_line(project: Path) -> None:
    said = "returned by build() at train.py:15"

    assert said in " ".join(run_check(project, "text").split())
    assert said in run_check(project, "html")
