"""What stays between rounds of edits must not be seen in what they say."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.facts import Facts
from pipedoctor.fix.code.judged_source import CodeWorkspace
from pipedoctor.fix.request.named_checks import Examination
from tests.fix.code.conftest import HEAD, Mend

MADE = b"""
import torch
from loaders import Loader

def main(files):
    for epoch in range(9):
        for x in Loader(files, num_workers=4):
            x.cuda()
"""
TORCHS = b"from torch.utils.data import DataLoader as Loader\n"
OTHERS = b"from elsewhere import Loader  # no torch\n"


@pytest.fixture
def ground(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examination: Examination
) -> CodeWorkspace:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_bytes(MADE)
    Path("loaders.py").write_bytes(TORCHS)
    return CodeWorkspace.read((".",), examination, Facts())


def test_a_name_means_what_another_file_now_says(ground: CodeWorkspace) -> None:
    before = ground.build_source({})
    between = ground.build_source({"loaders.py": OTHERS})
    after = ground.build_source({"loaders.py": TORCHS + b"\n"})

    assert [len(one.loaders) for one in (before, between, after)] == [1, 0, 1]
    assert before.loaders == after.loaders
    assert before.events == after.events


def test_kept_parts_say_what_new_ones_would(ground: CodeWorkspace) -> None:
    ground.build_source({})
    changed = {"train.py": MADE.replace(b"4", b"2")}
    kept = ground.build_source(changed)

    Path("train.py").write_bytes(changed["train.py"])
    assert kept == ground.reread().build_source({})


ROWS = """
class Rows(Dataset):
    def __init__(self):
        self.draw = np.random.RandomState(0)

    def __getitem__(self, index):
        return Image.open(self.names[index]).resize((8, self.draw.randint(8)))

"""
LOADER = """
def main(net):
    train = DataLoader({}, batch_size=4, pin_memory=True)
    for epoch in range(9):
        for x in train:
            net(x.to(0, non_blocking=True)).backward()
"""


def test_what_is_wrong_in_one_file_is_looked_for_there(
    mend: Mend, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[object] = []
    judge = CodeWorkspace.judge

    def counted(ground: CodeWorkspace, changed: Mapping[str, bytes] | None = None) -> Any:
        judged.append(changed)
        return judge(ground, changed)

    monkeypatch.setattr(CodeWorkspace, "judge", counted)
    texts = {f"train{n}.py": HEAD + LOADER.format("Images([])") for n in range(16)}
    texts["train5.py"] = HEAD + ROWS + LOADER.format("Rows()")

    outcome = mend(texts, select="num-workers-zero", unsafe=True)

    assert [one.found.place.partition(":")[0] for one in outcome.refused] == ["train5.py"]
    assert len(outcome.files) == 15
    assert len(judged) <= 7
