"""`--diff`: only findings of lines that changed, as git knows them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Run
from tests.cli.suppression.conftest import CODE, judge, lines, reason, refused


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

    @pytest.mark.extended
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

    @pytest.mark.extended
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
        monkeypatch.setattr("pipedoctor.collect.code.git_changes.GIT_TIMEOUT", 0.3)

        assert refused(run("check", "--quick", ".", "--diff", "HEAD")) == snapshot
