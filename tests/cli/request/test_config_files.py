"""Which file of configuration counts: the nearest upward, one that is named, or none."""

import os
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.request.check_options import CommandLineOptions
from pipedoctor.cli.request.config import merge_config
from pipedoctor.cli.request.config_files import ConfigError, ConfigFile, find_config
from tests.cli.config_samples import CATALOGUE, write


def test_the_nearest_file_upward_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "pipedoctor.toml", "workers = 1")
    near = write(tmp_path / "a/pyproject.toml", "[tool.pipedoctor]\nworkers = 2")
    write(tmp_path / "a/b/pyproject.toml", "[tool.ruff]\n# pipedoctor")
    deep = tmp_path / "a/b/c"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)

    assert find_config() == ConfigFile(
        path=str(near), prefix="tool.pipedoctor.", table={"workers": 2}, origin="project"
    )


def test_pipedoctor_toml_wins_beside_pyproject(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = write(tmp_path / "pipedoctor.toml", "workers = 1")
    write(tmp_path / "pyproject.toml", "[tool.pipedoctor]\nworkers = 2")
    monkeypatch.chdir(tmp_path)

    assert find_config() == ConfigFile(path=str(ours), table={"workers": 1}, origin="project")


def test_a_broken_file_of_others_is_none_of_our_business(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "pipedoctor.toml", "workers = 1")
    write(tmp_path / "a/pyproject.toml", "[tool.ruff\n")
    (tmp_path / "a/b/pipedoctor.toml").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a/b")

    assert find_config().table == {"workers": 1}


def test_a_folder_that_was_removed_has_no_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert find_config() == ConfigFile()


def test_a_file_that_is_named_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "ci.toml", "quick = true")

    assert find_config(str(path)) == ConfigFile(path=str(path), table={"quick": True})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("workers = ", "not TOML: "),
        ("x = 1\n" * 200_000, "larger than 1 MiB"),
    ],
)
def test_a_broken_file_of_ours_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, message: str
) -> None:
    path = write(tmp_path / "pipedoctor.toml", content)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigError) as found:
        find_config()
    with pytest.raises(ConfigError) as named:
        find_config(str(path))

    assert str(found.value).startswith(f"{path}: {message}")
    assert str(named.value).startswith(f"{path}: {message}")


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        find_config(str(tmp_path / "none.toml"))

    assert str(refused.value) == f"{tmp_path}/none.toml: No such file or directory"


def test_a_file_of_just_the_largest_size_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "pipedoctor.toml", "#" * (1 << 20))

    assert find_config(str(path)).table == {}


def test_only_tool_is_told_to_leave_it_out(snapshot: SnapshotAssertion) -> None:
    with pytest.raises(ConfigError) as refused:
        merge_config(
            ConfigFile(path="/x/pipedoctor.toml", table={"zzz": 1}),
            CommandLineOptions(),
            lambda: CATALOGUE,
        )

    assert str(refused.value) == snapshot


def test_binary_is_not_toml(tmp_path: Path) -> None:
    path = tmp_path / "pipedoctor.toml"
    path.write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match="not TOML: 'utf-8' codec"):
        find_config(str(path))


def test_a_file_that_may_not_be_read_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "pipedoctor.toml", "workers = 1")
    loop = tmp_path / "a"
    loop.mkdir()
    os.symlink("pipedoctor.toml", loop / "pipedoctor.toml")  # noqa: PTH211
    monkeypatch.chdir(loop)

    assert find_config().table == {"workers": 1}
