"""A baseline and ignores by file, as they are typed."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Run
from tests.cli.suppression.conftest import ARGS, CODE, judge, lines, reason, refused


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

    @pytest.mark.extended
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

    @pytest.mark.extended
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
