"""Baseline, per-file ignores and --diff, as they are typed."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

Run = Callable[..., Result]
CODE = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, index):
        print(index)
        return index


def train():
    for batch in DataLoader(Images(), num_workers=2):
        print(batch)
"""
ARGS = ("check", "--quick", "--select", "print-in-item,unused-ignore", "--fail-on")


@pytest.fixture
def code(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(CODE)
    return path


def judge(run: Run, *args: str, code: int = 0, fail_on: str = "note") -> dict[str, Any]:
    """The report of a run that ends with this exit code."""
    result = run(*ARGS, fail_on, "--format", "json", *args)
    assert result.exit_code == code, result.output
    report: dict[str, Any] = json.loads(result.stdout)
    places = [entry["code"] for entry in report["findings"]]
    places = [*dict.fromkeys(places), *report["healthy"]]
    places += [skip["code"] for skip in report["skipped"]]
    assert len(places) == len(set(places)), "each check is in one place"
    return report


def reason(report: dict[str, Any], code: str = "PDR201") -> str:
    (skip,) = [s for s in report["skipped"] if s["code"] == code]
    assert skip["accepted"]
    return str(skip["reason"])


def lines(report: dict[str, Any]) -> list[tuple[str, int]]:
    return [(entry["location"]["path"], entry["location"]["line"]) for entry in report["findings"]]


def refused(result: Result) -> str:
    assert result.exit_code == 2
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)
    return result.stderr.removeprefix("pipedoctor check: ").strip()


@pytest.mark.usefixtures("code")
class TestBaseline:
    """Findings that are known."""

    def test_all_is_known_once_it_is_written(self, run: Run, snapshot: SnapshotAssertion) -> None:
        known = ("train.py", "--baseline", "base.json")
        judge(run, "train.py", code=1)

        written = run(*ARGS, "note", *known, "--write-baseline")

        assert written.exit_code == 0
        assert written.stderr == snapshot
        assert reason(judge(run, *known)) == snapshot

    def test_only_new_ones_count(self, run: Run, code: Path) -> None:
        known = ("train.py", "--baseline", "base.json")
        judge(run, *known, "--write-baseline")
        code.write_text("# moved\n\n" + CODE)
        judge(run, *known)
        code.write_text(CODE.replace("return index", "print(2)"))

        assert lines(judge(run, *known, code=1)) == [("train.py", 11)]

    def test_stale_ones_are_told(self, run: Run, code: Path, snapshot: SnapshotAssertion) -> None:
        known = ("train.py", "--baseline", "base.json")
        judge(run, *known, "--write-baseline")
        code.write_text(CODE.replace("        print(index)\n", ""))

        report = judge(run, *known, code=1)

        (stale,) = report["findings"]
        assert stale["summary"] == snapshot
        assert stale["evidence"] == {"gone": ["PDR201 print-in-item in train.py"]}
        assert lines(report) == [("base.json", 4)]
        assert "PDR201" in report["healthy"]
        assert judge(run, *known, "--write-baseline")["findings"] == []

    def test_of_files_that_were_not_asked_for_nothing_is_stale(
        self, run: Run, tmp_path: Path
    ) -> None:
        (tmp_path / "other.py").write_text("import torch\n")
        judge(run, ".", "--baseline", "base.json", "--write-baseline")

        report = judge(run, "other.py", "--baseline", "base.json")

        assert report["findings"] == []

    def test_writing_keeps_what_was_not_looked_at(self, run: Run) -> None:
        judge(run, ".", "--baseline", "base.json", "--write-baseline")
        before = Path("base.json").read_bytes()

        run(
            *("check", "--quick", "--select", "PDR1", "."),
            *("--baseline", "base.json", "--write-baseline"),
        )

        assert b"PDR201" in before
        assert b"PDR201" in Path("base.json").read_bytes()

    def test_it_may_stand_in_a_configuration(
        self, run: Run, tmp_path: Path, snapshot: SnapshotAssertion
    ) -> None:
        judge(run, ".", "--baseline", "base.json", "--write-baseline")
        (tmp_path / "pipedoctor.toml").write_text('baseline = "base.json"')

        assert reason(judge(run, ".")) == snapshot

    def test_a_record_has_a_baseline_as_well(self, run: Run) -> None:
        judge(run, ".", "--baseline", "base.json", "--write-baseline")
        run(*ARGS, "never", "--format", "json", "-o", "r.json", ".")

        assert reason(judge(run, "--from", "r.json", "--baseline", "base.json"))
        assert judge(run, "--from", "r.json", code=1)

    def test_from_another_folder_it_is_the_same(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / ".git").mkdir()
        judge(run, ".", "--baseline", "base.json", "--write-baseline")
        (tmp_path / "sub").mkdir()
        monkeypatch.chdir(tmp_path / "sub")

        assert reason(judge(run, "..", "--baseline", "../base.json"))

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (
                ("--baseline", "none.json"),
                (
                    "--baseline none.json: cannot be read: No such file or directory;"
                    " --write-baseline creates it"
                ),
            ),
            (
                ("--baseline", "train.py"),
                (
                    "--baseline train.py: expected the output of --write-baseline: "
                    "JSON is malformed: invalid character (byte 0)"
                ),
            ),
            (
                ("--write-baseline",),
                "--write-baseline requires --baseline FILE",
            ),
            (
                ("--baseline", "none/x", "--write-baseline"),
                "--baseline none/x: cannot be written: No such file or directory",
            ),
            (("--baseline", "."), "--baseline .: cannot be read: Is a directory"),
            (
                ("--baseline", "/dev/zero"),
                "--baseline /dev/zero: cannot be read: not a regular file",
            ),
        ],
    )
    def test_mistakes(self, run: Run, args: tuple[str, ...], message: str) -> None:
        assert refused(run(*ARGS, "note", "train.py", *args)) == message

    def test_a_working_directory_that_is_gone_is_told(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
    ) -> None:
        (tmp_path / "gone").mkdir()
        monkeypatch.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()

        assert refused(run(*ARGS, "note", "/usr", "--baseline", "b.json")) == snapshot


@pytest.mark.usefixtures("code")
class TestPerFileIgnores:
    """Checks that are ignored in some files."""

    def test_they_are_skipped_with_the_reason(
        self, run: Run, tmp_path: Path, snapshot: SnapshotAssertion
    ) -> None:
        config = tmp_path / "pyproject.toml"
        config.write_text('[tool.pipedoctor.per-file-ignores]\n"tr*.py" = ["PDR2", "main-guard"]\n')

        assert reason(judge(run, ".")) == snapshot
        judge(run, ".", "--no-config", code=1)

    def test_patterns_count_from_the_file(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "train.py").rename(tmp_path / "sub" / "train.py")
        config = tmp_path / "pipedoctor.toml"
        monkeypatch.chdir(tmp_path / "sub")
        config.write_text('[per-file-ignores]\n"sub/train.py" = ["PDR201"]\n')

        judge(run, "train.py")
        config.write_text('[per-file-ignores]\n"lib/train.py" = ["PDR201"]\n')
        judge(run, "train.py", code=1)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (
                '"x" = ["print-in-itm"]',
                'per-file-ignores.x: "print-in-itm" is not the name',
            ),
            ('"x" = "PDR201"', "per-file-ignores: Expected `array`, got `str`"),
            ("x = 1", "per-file-ignores: Expected `array`, got `int`"),
        ],
    )
    def test_mistakes(self, run: Run, tmp_path: Path, text: str, message: str) -> None:
        (tmp_path / "pipedoctor.toml").write_text(f"[per-file-ignores]\n{text}\n")

        said = refused(run(*ARGS, "note", "train.py"))

        assert message.replace('"', "'") in said


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, timeout=20)


@pytest.fixture
def repository(code: Path) -> Path:
    """The code, committed."""
    folder = code.parent
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


class TestDiff:
    """Lines that changed."""

    def test_what_did_not_change_is_skipped(
        self, run: Run, repository: Path, snapshot: SnapshotAssertion
    ) -> None:
        assert repository.is_dir()
        assert reason(judge(run, ".", "--diff", "HEAD")) == snapshot

    def test_changed_lines_count_and_moved_ones_do_not(self, run: Run, repository: Path) -> None:
        code = repository / "train.py"
        code.write_text("# moved\n" + CODE)
        judge(run, ".", "--diff", "HEAD")
        code.write_text(CODE.replace("print(index)", "print(index, 1)"))

        assert lines(judge(run, ".", "--diff", "HEAD", code=1)) == [("train.py", 10)]

    def test_new_files_count_whole(self, run: Run, repository: Path) -> None:
        (repository / "new.py").write_text(CODE)

        assert lines(judge(run, ".", "--diff", "HEAD", code=1)) == [("new.py", 10)]

    def test_three_dots_mean_where_the_work_began(self, run: Run, repository: Path) -> None:
        git(repository, "checkout", "-q", "-b", "work")
        git(repository, "checkout", "-q", "main")
        (repository / "train.py").write_text(CODE.replace("print(index)", "pass"))
        git(repository, "commit", "-q", "-a", "-m", "two")
        git(repository, "checkout", "-q", "work")

        judge(run, ".", "--diff", "main...")
        judge(run, ".", "--diff", "main", code=1)

    def test_ends_of_lines_are_no_change(self, run: Run, repository: Path) -> None:
        (repository / "train.py").write_bytes(CODE.replace("\n", "\r\n").encode())

        judge(run, ".", "--diff", "HEAD")

    def test_a_notebook_counts_whole(self, run: Run, repository: Path) -> None:
        cell = {"cell_type": "code", "source": CODE}
        book = repository / "book.ipynb"
        book.write_text(json.dumps({"cells": [cell]}))
        git(repository, "add", ".")
        git(repository, "commit", "-q", "-m", "two")
        judge(run, ".", "--diff", "HEAD")
        empty = {"cell_type": "markdown", "source": ""}
        book.write_text(json.dumps({"cells": [cell, empty]}))

        (entry,) = judge(run, ".", "--diff", "HEAD", code=1)["findings"]
        assert entry["location"]["path"] == "book.ipynb#cell1"

    def test_findings_about_the_machine_stay(self, run: Run, repository: Path) -> None:
        assert repository.is_dir()
        args = ("check", "--quick", "--format", "json", "--fail-on", "never")
        with_ = json.loads(run(*args, ".", "--diff", "HEAD").stdout)
        without = json.loads(run(*args, ".").stdout)

        def machine(report: dict[str, Any]) -> set[str]:
            return {e["code"] for e in report["findings"] if not e["location"]}

        assert machine(with_) == machine(without)
        assert not [e for e in with_["findings"] if e["location"]]

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            ((".", "--diff", "nope"), "--diff nope: revision 'nope' not found: "),
            ((".", "--diff=--help"), "--diff --help: '--help' is not a revision"),
            ((".", "--diff", ""), "--diff : '' is not a revision"),
            (("--diff", "HEAD"), "--diff requires PATHS"),
            (
                ("/usr/lib", "train.py", "--diff", "HEAD"),
                "--diff HEAD: not a git repository",
            ),
            (
                ("--from", "x.json", "--diff", "HEAD"),
                "--from judges a saved report: it cannot be combined with --diff",
            ),
        ],
    )
    def test_mistakes(
        self, run: Run, repository: Path, args: tuple[str, ...], message: str
    ) -> None:
        assert repository.is_dir()
        assert refused(run("check", "--quick", *args)).startswith(message)

    def test_no_repository(self, run: Run, code: Path) -> None:
        assert code.exists()
        assert refused(run("check", "--quick", ".", "--diff", "HEAD")).startswith(
            "--diff HEAD: not a git repository"
        )

    def test_no_git(
        self, run: Run, code: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
    ) -> None:
        assert code.exists()
        monkeypatch.setenv("PATH", "/nonexistent")

        assert refused(run("check", "--quick", ".", "--diff", "HEAD")) == snapshot

    def test_a_hostile_repository_runs_nothing(self, run: Run, repository: Path) -> None:
        trap = repository / "trap.sh"
        trap.write_text(f"#!/bin/sh\ntouch {repository}/sprung\ncat\n")
        trap.chmod(0o755)
        hooks = repository / "hooks"
        hooks.mkdir()
        for name in (
            "post-index-change",
            "fsmonitor-watchman",
            "reference-transaction",
        ):
            (hooks / name).write_text(trap.read_text())
            (hooks / name).chmod(0o755)
        for key in (
            "core.fsmonitor",
            "core.pager",
            "core.sshCommand",
            "core.askPass",
            "core.alternateRefsCommand",
            "diff.external",
            "diff.evil.textconv",
            "diff.evil.command",
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.evil.process",
            "credential.helper",
        ):
            git(repository, "config", key, str(trap))
        git(repository, "config", "core.hooksPath", str(hooks))
        (repository / ".git" / "info").mkdir(exist_ok=True)
        attributes = "*.py diff=evil filter=evil\n"
        (repository / ".git" / "info" / "attributes").write_text(attributes)
        (repository / "train.py").write_text(CODE.replace("(index)", "(index, 1)"))
        (repository / "sprung").unlink(missing_ok=True)

        judge(run, ".", "--diff", "HEAD", code=1)

        assert not (repository / "sprung").exists()
        subprocess.run(["git", "diff"], cwd=repository, check=False, timeout=20)
        assert (repository / "sprung").exists(), "the trap works"

    def test_a_git_that_hangs_is_left(
        self,
        run: Run,
        repository: Path,
        monkeypatch: pytest.MonkeyPatch,
        snapshot: SnapshotAssertion,
    ) -> None:
        slow = repository / "bin" / "git"
        slow.parent.mkdir()
        slow.write_text("#!/bin/sh\nexec sleep 60\n")
        slow.chmod(0o755)
        monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setattr("pipedoctor.collect.git_changes.GIT_TIMEOUT", 0.3)

        assert refused(run("check", "--quick", ".", "--diff", "HEAD")) == snapshot
