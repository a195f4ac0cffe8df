"""Configuration: found upward, typed, and every mistake named with its place."""

import datetime as dt
import os
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity, Verdict
from pipedoctor.cli.check_options import CommandLineOptions
from pipedoctor.cli.config import Config, merge_config
from pipedoctor.cli.config_files import ConfigError, ConfigFile, find_config
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Loader
from pipedoctor.suppress.accepted_risks import (
    AcceptedRisk,
    accept_risk,
    describe_expired,
)

CATALOGUE = get_catalogue()
TODAY = dt.date(2026, 11, 21)


def settle(table: dict[str, Any], **given: Any) -> Config:
    file = ConfigFile(path="/x/pyproject.toml", prefix="tool.pipedoctor.", table=table)
    return merge_config(file, CommandLineOptions.from_values(**given), lambda: CATALOGUE)


def complaint(table: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as refused:
        settle(table)
    return str(refused.value).removeprefix("/x/pyproject.toml: tool.pipedoctor.")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


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


def test_options_are_called_as_on_the_command_line() -> None:
    options = settle(
        {
            "workers": 8,
            "batch-bytes": "64M",
            "prefetch": 4,
            "ranks": 2,
            "quick": True,
            "deadline": 3,
            "select": "PDR7",
            "ignore": ["a", "b"],
            "fail-on": "never",
            "format": "json",
            "data": ["sets/a", "/b"],
        }
    ).options

    assert options.loader == Loader(
        num_workers=8,
        prefetch_factor=4,
        batch_bytes=64 << 20,
        ranks=2,
        origin={
            "num_workers": "--workers",
            "prefetch_factor": "--prefetch",
            "batch_bytes": "--batch-bytes",
            "ranks": "--ranks",
        },
    )
    assert (options.quick, options.deadline, options.fail_on) == (True, 3.0, "never")
    assert (options.select, options.ignore) == (("PDR7",), ("a", "b"))
    assert options.data == ("/x/sets/a", "/b"), "counted from the file"


@pytest.mark.parametrize(
    ("job", "absurd"),
    [
        ({"workers": 1 << 10, "batch_bytes": 1 << 50}, False),
        ({"workers": 1 << 10, "batch_bytes": (1 << 50) + 1}, True),
        ({"workers": 1 << 10, "prefetch": 2, "batch_bytes": 1 << 50}, True),
        ({"workers": 1 << 10, "ranks": 2, "batch_bytes": 1 << 50}, True),
        ({"workers": 0, "batch_bytes": 1 << 60}, False),
    ],
)
def test_a_job_beyond_any_machine_is_a_slip(job: dict[str, Any], absurd: bool) -> None:
    said = "so many batches of this size exceed the memory of any machine"
    if absurd:
        with pytest.raises(ConfigError, match=said):
            settle({}, **job)
    else:
        assert settle({}, **job).options.loader


def test_the_command_line_wins() -> None:
    config = settle({"workers": 8, "select": ["PDR7"]}, workers=2)

    assert config.options.workers == 2
    assert config.options.select == ("PDR7",)


def test_nothing_given_is_nothing_known() -> None:
    assert settle({}).options.loader is None
    assert settle({}) == Config()


def test_thresholds_are_typed_by_the_check() -> None:
    assert settle({"shm-too-small": {"headroom": 2}}).settings == {
        "shm-too-small": {"headroom": 2.0}
    }


@pytest.mark.parametrize(
    ("table", "message"),
    [
        pytest.param(
            {"wrokers": 8},
            "wrokers: no option or check has this name; did you mean `workers`?",
            id="an option, misspelt",
        ),
        pytest.param(
            {"batch_bytes": 8},
            "batch_bytes: no option or check has this name; did you mean `batch-bytes`?",
            id="an underscore",
        ),
        pytest.param(
            {"shm-to-small": {}},
            "shm-to-small: no option or check has this name; did you mean `shm-too-small`?",
            id="a check, misspelt",
        ),
        pytest.param({"zzz": 1}, "zzz: no option or check has this name", id="nothing like it"),
        pytest.param(
            {"shm-too-small": {"headrom": 2}},
            "shm-too-small.headrom: no such threshold; did you mean `headroom`?",
            id="a threshold, misspelt",
        ),
        pytest.param(
            {"shm-too-small": {"headroom": "much"}},
            "shm-too-small.headroom: Expected `float`, got `str`",
            id="a threshold of another type",
        ),
        pytest.param(
            {"shm-too-small": 2},
            "shm-too-small: must be a table of thresholds",
            id="no table",
        ),
        pytest.param(
            {"workers": "8"},
            "workers: Expected `int | null`, got `str`",
            id="no number",
        ),
        pytest.param({"workers": -1}, "workers: Expected `int` >= 0", id="below zero"),
        pytest.param({"prefetch": 0}, "prefetch: Expected `int` >= 1", id="zero"),
        pytest.param(
            {"batch-bytes": "many"},
            "batch-bytes: 'many' is not a size: write 5G, 512M, 64MiB or a number of bytes",
            id="no size",
        ),
        pytest.param(
            {"fail-on": "panic"},
            "fail-on: Invalid enum value 'panic'",
            id="no severity",
        ),
        pytest.param({"deadline": 0.5}, "deadline: Expected `float` >= 1.0", id="too little time"),
        pytest.param(
            {"accept": [{"name": "shm-too-small"}]},
            "accept: Object missing required field `reason` - at `$[0]`",
            id="no reason",
        ),
        pytest.param(
            {"accept": [{"name": "shm-to-small", "reason": "x"}]},
            "accept.name: no check is called 'shm-to-small'; did you mean `shm-too-small`?",
            id="nobody to accept",
        ),
        pytest.param(
            {"accept": [{"name": "x", "reason": "y", "untl": 1}]},
            "accept: Object contains unknown field `untl` - at `$[0]`",
            id="an unknown field",
        ),
        pytest.param(
            {"accept": [{"name": "x", "reason": "y", "until": "soon"}]},
            "accept: Invalid RFC3339 encoded date - at `$[0].until`",
            id="no day",
        ),
    ],
)
def test_mistakes_are_named(table: dict[str, Any], message: str) -> None:
    assert complaint(table) == message


def test_our_own_file_needs_no_prefix(snapshot: SnapshotAssertion) -> None:
    file = ConfigFile(path="/x/pipedoctor.toml", table={"tool": {"pipedoctor": {}}})

    with pytest.raises(ConfigError) as refused:
        merge_config(file, CommandLineOptions(), lambda: CATALOGUE)

    assert str(refused.value) == snapshot


def test_accepted_risks(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pipedoctor.toml",
        '[[accept]]\nname = "PDR701"\nreason = "old box"\nuntil = 2027-01-01\n',
    )

    config = merge_config(find_config(str(path)), CommandLineOptions(), lambda: CATALOGUE)

    assert config.accepted == {
        "PDR701": AcceptedRisk(name="PDR701", reason="old box", until=dt.date(2027, 1, 1))
    }


ILL = Verdict("PDR701", (Finding(severity=Severity.RISKS, summary="small"),))
RISK = AcceptedRisk(name="shm-too-small", reason="old box", until=TODAY)


def test_what_is_accepted_is_skipped_with_its_reason() -> None:
    assert accept_risk(ILL, RISK, TODAY) == Verdict(
        "PDR701", skipped="accepted until 2026-11-21: old box", accepted=True
    )
    for_good = AcceptedRisk(name="x", reason="old box")
    assert accept_risk(ILL, for_good, TODAY).skipped == "accepted: old box"


@pytest.mark.parametrize(
    ("verdict", "risk"),
    [
        pytest.param(ILL, None, id="not accepted"),
        pytest.param(
            ILL,
            AcceptedRisk(name="x", reason="y", until=TODAY - dt.timedelta(days=1)),
            id="expired yesterday",
        ),
        pytest.param(Verdict("PDR701"), RISK, id="healthy"),
        pytest.param(Verdict("PDR701", skipped="no facts"), RISK, id="not judged"),
    ],
)
def test_the_rest_stays(verdict: Verdict, risk: AcceptedRisk | None) -> None:
    assert accept_risk(verdict, risk, TODAY) is verdict


def test_what_has_expired_says_so() -> None:
    risks = {"PDR701": RISK, "PDR702": AcceptedRisk(name="x", reason="y")}

    assert describe_expired(risks, TODAY) == {}
    assert describe_expired(risks, TODAY + dt.timedelta(days=1)) == {
        "PDR701": "was accepted until 2026-11-21: old box"
    }


def test_a_file_that_may_not_be_read_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "pipedoctor.toml", "workers = 1")
    loop = tmp_path / "a"
    loop.mkdir()
    os.symlink("pipedoctor.toml", loop / "pipedoctor.toml")  # noqa: PTH211
    monkeypatch.chdir(loop)

    assert find_config().table == {"workers": 1}
