"""Calls of loaders that tests of edits share."""

from pipedoctor.facts import TorchBuild
from pipedoctor.fix.code.trial import EditOutcome
from tests.fix.code.conftest import HEAD, TRAIN, Mend

OPTIONS = "import argparse\nparser = argparse.ArgumentParser()\n"
WORKERS = OPTIONS + "parser.add_argument('--workers', default={}, type=int)\n"


def loader(arguments: str, then: str = TRAIN, before: str = "") -> str:
    return f"def main(args, net):\n{before}    loader = DataLoader({arguments})\n{then}"


def copied(copy: str = "x = x.to(device)") -> str:
    return TRAIN.replace("loss = net", f"{copy}\n            loss = net")


def run(mend: Mend, code: str, select: str, version: str = "2.13.0") -> EditOutcome:
    head = HEAD.replace("import os\n", "") if "64" in code else HEAD
    torch = TorchBuild(version=version)
    return mend({"train.py": head + code}, torch, select=select, unsafe=True)


SAMPLED = "Images([]), sampler=torch.utils.data.SubsetRandomSampler([1])"
