"""Files that a command is given, and what lies beside them, on a mount that does not answer."""

import re
from pathlib import Path

import pytest

from tests.robustness.test_dead_paths import SLOPE, check, measure_start, run, scale

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="no /dev/fuse"),
]
MEASURING = {
    "tune": ("tune", "{target}"),
    "whatif": ("whatif", "{target}", "--workers", "2"),
    "bench loader": ("bench", "loader", "{target}"),
}
READING = """
import torch
from torch.utils.data import DataLoader, Dataset

class Images(Dataset):
    def __len__(self): return 1000
    def __getitem__(self, index):
        open({dead!r} + f"/{{index}}.jpg", "rb").read()
        return torch.zeros(3)

def make(): return Images()
def loader(): return DataLoader(Images(), batch_size=4, num_workers=2)
"""


@pytest.mark.extended
@pytest.mark.parametrize("name", MEASURING)
def test_the_file_of_a_target_is_looked_at_first(name: str, tmp_path: Path) -> None:
    file = tmp_path / "dead" / "train.py"
    words = (word.format(target=f"{file}:make") for word in MEASURING[name])

    ended = run(tmp_path, "UNUSED", *words)

    assert ended.code == 3
    assert f"{file} ({file}:make) does not answer: stat" in ended.errors


@pytest.mark.extended
@pytest.mark.parametrize("target", ["make", "loader"])
@pytest.mark.parametrize("name", MEASURING)
def test_data_that_do_not_answer_are_named(name: str, target: str, tmp_path: Path) -> None:
    code = tmp_path / "train.py"
    code.write_text(READING.format(dead=str(tmp_path / "dead")))
    words = [word.format(target=f"{code}:{target}") for word in MEASURING[name]]
    budget = scale(20.0)

    words += ["--budget", str(budget), "--allow-busy"]

    ended = run(tmp_path, "UNUSED", *words, limit=budget + SLOPE)

    assert ended.code == 3
    if "loading the target exceeded" in ended.errors:
        pytest.skip("too busy even to import torch")
    assert re.search(rf"{tmp_path}/dead/\d+.jpg does not answer: open hung", ended.errors)
    assert ended.seconds < budget + 0.5 + 2 * measure_start()


@pytest.mark.extended
@pytest.mark.parametrize("option", ["--config", "--baseline", "--from"])
def test_a_named_file_that_does_not_answer_is_refused(option: str, tmp_path: Path) -> None:
    file = str(tmp_path / "dead" / "x")

    ended = run(tmp_path, "UNUSED", "check", "--quick", option, file)

    assert ended.code == 2
    assert f"{option} {file}" in ended.errors
    assert "does not answer" in ended.errors


@pytest.mark.extended
def test_a_fleet_s_deadline_counts_the_election(tmp_path: Path) -> None:
    words = ("check", "--quick", "--fleet-dir", str(tmp_path / "fleet"), "--deadline", "4")

    ended = run(tmp_path, "/dev/shm", *words)

    assert ended.code == 0
    assert ended.seconds < 4.5 + 2 * measure_start()


@pytest.mark.extended
@pytest.mark.parametrize("name", ["pyproject.toml", ".git", ".gitignore"])
def test_what_hangs_beside_the_code_is_named_first(name: str, tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "train.py").write_text("import torch\n")
    (code / name).symlink_to(tmp_path / "dead" / "x")

    report = check(tmp_path, "UNUSED", "--quick", str(code), deadline=scale(6))

    first = report["findings"][0]
    assert (first["name"], first["evidence"]["path"]) == ("path-unresponsive", str(code / name))


@pytest.mark.extended
@pytest.mark.parametrize("seconds", [3, 6])
def test_data_that_hang_are_named_however_late_it_is(seconds: float, tmp_path: Path) -> None:
    data = str(tmp_path / "dead" / "x")

    report = check(tmp_path, "UNUSED", "--quick", "--data", data, deadline=scale(seconds))

    first = report["findings"][0]
    assert (first["name"], first["evidence"]["path"]) == ("path-unresponsive", data)
