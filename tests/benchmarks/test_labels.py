"""Lines that people have labelled, and the script that scores the checks of code on them."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LABELS = ROOT / "tests/checks/labels"
COLUMNS = ["repo", "commit", "path", "line", "hazard", "label", "note"]
HALVES = ("working", "sealed")
FILES = (*HALVES, "read")


def read_rows(half: str) -> list[dict[str, str]]:
    """The rows of one half, whose columns are right."""
    with (LABELS / f"{half}.csv").open(newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == COLUMNS
        return list(reader)


@pytest.mark.parametrize("half", FILES)
def test_every_label_names_a_line_a_hazard_and_a_reason(half: str) -> None:
    for row in read_rows(half):
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", row["repo"])
        assert re.fullmatch(r"[0-9a-f]{40}", row["commit"])
        assert row["path"].endswith(".py")
        assert not Path(row["path"]).is_absolute()
        assert int(row["line"]) > 0
        assert re.fullmatch(r"PDR[1-6]\d\d", row["hazard"])
        assert row["label"] in {"true", "false"}
        assert row["note"].strip()


@pytest.mark.parametrize("half", FILES)
def test_no_line_is_labelled_twice(half: str) -> None:
    keys = [tuple(row[column] for column in COLUMNS[:5]) for row in read_rows(half)]
    assert len(keys) == len(set(keys))


def test_halves_share_no_project_and_have_look_alikes() -> None:
    working, sealed = (read_rows(half) for half in HALVES)
    assert not {row["repo"] for row in working} & {row["repo"] for row in sealed}
    for rows in (working, sealed):
        assert len({row["repo"] for row in rows}) > 15
        assert sum(row["label"] == "false" for row in rows) > 50


def run_git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    argv = ("git", "-C", str(folder), *name, *arguments)
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.extended
def test_script_scores_the_commit_that_is_labelled(tmp_path: Path) -> None:
    clone = tmp_path / "repos/somebody/project"
    clone.mkdir(parents=True)
    run_git(clone, "init", "-q")
    code = clone / "train.py"
    code.write_text("from torch.cuda.amp import autocast\n")
    run_git(clone, "add", ".")
    run_git(clone, "commit", "-qm", "first")
    commit = run_git(clone, "rev-parse", "HEAD")
    code.write_text("# nothing is left\n")
    run_git(clone, "commit", "-qam", "second")
    labels = tmp_path / "labels.csv"
    with labels.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerow(["somebody/project", commit, "train.py", 1, "PDR601", "true", "old"])
        writer.writerow(["somebody/project", commit, "train.py", 1, "PDR602", "true", "missed"])
    page = tmp_path / "page.md"
    page.write_text("| half |\n| all, labels | 0 | 0 |\n| all, others | 0 | 0 |\n")
    script, folder = str(ROOT / "benchmarks/labels.py"), str(clone.parents[1])
    argv = [sys.executable, script, "--write", str(page), str(labels), folder]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    first, row, other = page.read_text().splitlines()
    assert (first, other) == ("| half |", "| all, others | 0 | 0 |")
    assert row.startswith("| all, labels | 1 | 2 | ")
    assert row.endswith(", last | 1 of 2 (50 %) | 1 of 1 (100 %) | 0 of 0 |")
    assert "recall 1/2, precision 1/1" in done.stdout
    assert "true, silent: somebody/project train.py:1 PDR602" in done.stdout
    counts = [*argv, "--counts", "--hazards"]
    hidden = subprocess.run(counts, capture_output=True, text=True, check=True)
    assert "somebody" not in hidden.stdout
    assert "PDR601 recall 1/1, wrong 0/0\nPDR602 recall 0/1, wrong 0/0\n" in hidden.stdout


def test_readme_is_checked_out_for_the_versions_that_it_asks_for(tmp_path: Path) -> None:
    clone, folder = tmp_path / "clone", tmp_path / "files"
    clone.mkdir()
    run_git(clone, "init", "-q")
    for name in ("README.md", "NOTES.md", "train.py"):
        (clone / name).write_text("torch 1.7\n")
    run_git(clone, "add", ".")
    run_git(clone, "commit", "-qm", "first")
    script = "from _checkout import check_out; from pathlib import Path; import sys\n"
    script += "check_out(Path(sys.argv[1]), 'HEAD', Path(sys.argv[2]))"
    argv = [sys.executable, "-c", script, str(clone / ".git"), str(folder)]
    subprocess.run(argv, cwd=ROOT / "benchmarks", check=True)
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "train.py"]
