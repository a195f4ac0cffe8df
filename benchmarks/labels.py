"""Recall and precision of the checks of code on lines that people have labelled."""

import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from _checkout import check_out, find_git_directory

USAGE = """labels.py [--counts] [--hazards] [--write PAGE.md] LABELS.csv... FOLDER

In FOLDER lie the repositories that the labels name: each as a git directory or a clone
(owner+name/repo, owner/name or name), of which the commit of the label is checked out to a
folder of its own, or as plain files by its name. With --counts no line is named, so that
labels which are kept back stay unseen. With --hazards each hazard has a line of counts. With
--write the row of all labels of each file, in the table of the page, is written anew."""
SELECT = "PDR1,PDR2,PDR3,PDR4,PDR5,PDR6"


def run_check(folder: Path) -> list[dict[str, Any]]:
    """What is found in one repository."""
    argv = (sys.executable, "-P", "-m", "pipedoctor", "check", ".", "--select", SELECT)
    more = ("--format", "json", "--fail-on", "never", "--no-cache", "--quick", "--deadline", "600")
    done = subprocess.run((*argv, *more), cwd=folder, capture_output=True, text=True, check=True)
    report: dict[str, Any] = json.loads(done.stdout)
    found: list[dict[str, Any]] = report["findings"]
    return found


def finding_places(finding: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Path, first and last line of each place that a finding names."""
    every = [finding.get("location"), *(finding.get("also_at") or ())]
    return [(one["path"], one["line"], one.get("end_line") or one["line"]) for one in every if one]


@contextmanager
def repository_files(
    folder: Path, repository: str, commit: str
) -> Generator[Path | None, None, None]:
    """The files of a repository at a commit, or nothing if the folder has neither."""
    git_directory = find_git_directory(folder, repository)
    plain = folder / repository.rpartition("/")[2]
    if git_directory is None:
        yield plain if plain.is_dir() else None
        return
    with tempfile.TemporaryDirectory(prefix="labels-") as made:
        check_out(git_directory, commit, Path(made))
        yield Path(made)


def is_found(row: dict[str, str], findings: list[dict[str, Any]]) -> bool:
    """Whether a finding of the hazard covers the line."""
    return any(
        finding["code"] == row["hazard"]
        and any(
            path == row["path"] and first <= int(row["line"]) <= last
            for path, first, last in finding_places(finding)
        )
        for finding in findings
    )


def score(rows: list[dict[str, str]], folder: Path, *, names: bool) -> Counter[str]:
    """Count what is found of what was labelled; name what is missed and what is false."""
    count: Counter[str] = Counter()
    for repository, commit in dict.fromkeys((row["repo"], row["commit"]) for row in rows):
        with repository_files(folder, repository, commit) as files:
            if files is None:
                continue
            findings = run_check(files)
        count["projects"] += 1
        for row in rows:
            if row["repo"] != repository:
                continue
            kind = f"{row['label']}, {'found' if is_found(row, findings) else 'silent'}"
            count[kind] += 1
            count[f"{row['hazard']} {kind}"] += 1
            if names and kind in {"true, silent", "false, found"}:
                print(f"{kind}: {repository} {row['path']}:{row['line']} {row['hazard']}")
    return count


def share(part: int, whole: int) -> str:
    """``3 of 4 (75 %)``."""
    return f"{part} of {whole} ({part / whole:.0%})".replace("%)", " %)") if whole else "0 of 0"


def hazard_lines(count: Counter[str]) -> list[str]:
    """One line per hazard: how many of its lines are found, and how many look-alikes."""
    hazards = sorted({key.split()[0] for key in count if key.startswith("PDR")})
    return [
        f"{hazard} recall {found}/{found + count[f'{hazard} true, silent']},"
        f" wrong {wrong}/{wrong + count[f'{hazard} false, silent']}"
        for hazard in hazards
        for found, wrong in [(count[f"{hazard} true, found"], count[f"{hazard} false, found"])]
    ]


def write_row(page: Path, half: str, count: Counter[str], today: str) -> None:
    """Put the row of all labels of one half in the place of the one that is there."""
    found, missed = count["true, found"], count["true, silent"]
    wrong, quiet = count["false, found"], count["false, silent"]
    labels = found + missed + wrong + quiet
    row = (
        f"| all, {half} | {count['projects']} | {labels} | {today}, last"
        f" | {share(found, found + missed)} | {share(found, found + wrong)}"
        f" | {quiet} of {quiet + wrong} |"
    )
    lines = page.read_text().split("\n")
    page.write_text("\n".join(row if x.startswith(f"| all, {half} |") else x for x in lines))


def main(*arguments: str) -> None:
    """Score each file of labels."""
    given = [one for one in arguments if one not in {"--counts", "--hazards"}]
    page = given.pop(given.index("--write") + 1) if "--write" in given else ""
    *files, folder = [one for one in given if one != "--write"]
    for labels_file in files:
        rows = list(csv.DictReader(Path(labels_file).read_text().splitlines()))
        count = score(rows, Path(folder), names="--counts" not in arguments)
        found, missed = count["true, found"], count["true, silent"]
        wrong, quiet = count["false, found"], count["false, silent"]
        print(
            f"{Path(labels_file).name}: {count['projects']} projects,"
            f" recall {found}/{found + missed}, precision {found}/{found + wrong},"
            f" silent on {quiet}/{quiet + wrong} look-alikes"
        )
        if "--hazards" in arguments:
            print(*hazard_lines(count), sep="\n")
        if page:
            write_row(
                Path(page), Path(labels_file).stem, count, datetime.now(tz=UTC).date().isoformat()
            )


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 2 else sys.exit(USAGE)  # noqa: PLR2004
