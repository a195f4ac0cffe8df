"""Configuration: found upward, typed, and every mistake named with its place."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.request.check_options import CommandLineOptions
from pipedoctor.cli.request.config import Config, merge_config
from pipedoctor.cli.request.config_files import ConfigError, ConfigFile
from pipedoctor.facts import Loader
from tests.cli.config_samples import CATALOGUE


def settle(table: dict[str, Any], **given: Any) -> Config:
    file = ConfigFile(path="/x/pyproject.toml", prefix="tool.pipedoctor.", table=table)
    return merge_config(file, CommandLineOptions.from_values(**given), lambda: CATALOGUE)


def complaint(table: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as refused:
        settle(table)
    return str(refused.value).removeprefix("/x/pyproject.toml: tool.pipedoctor.")


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
