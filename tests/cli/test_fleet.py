"""`pipedoctor fleet` and `check --fleet-dir`: exit codes, files, what is refused."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.fleet.local_rank import elect_process
from pipedoctor.fleet.node_name import get_this_node
from tests.cli.conftest import Run, Start

Made = Callable[..., Path]
QUICK = ("check", "--quick", "--deadline", "30", "--no-config")
GIB = 1 << 30


def node(name: str, size: int, *findings: dict[str, str]) -> dict[str, Any]:
    return {
        "schema": "pipedoctor.report/1",
        "created": "2026-01-01T00:00:00Z",
        "facts": {
            "known": {"node": {"name": name}, "shm": {"size": size}},
            "unknown": {},
        },
        "findings": list(findings),
    }


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """A folder with as many healthy nodes, and one that is ill."""

    def make(healthy: int = 30, *, ill: bool = True) -> Path:
        folder = tmp_path / "fleet"
        folder.mkdir()
        for number in range(healthy):
            file = folder / f"h{number}.json"
            file.write_text(json.dumps(node(f"h{number}", 64 * GIB)))
        if ill:
            (folder / "ill.json").write_text(json.dumps(node("ill", 64 << 20)))
        return folder

    return make


@pytest.mark.parametrize(
    ("options", "code"),
    [
        pytest.param((), 0, id="it risks, it does not break"),
        pytest.param(("--fail-on", "breaks"), 0, id="the same in words"),
        pytest.param(("--fail-on", "risks"), 1, id="risks"),
        pytest.param(("--fail-on", "note"), 1, id="anything"),
        pytest.param(("--fail-on", "never"), 0, id="nothing"),
    ],
)
def test_an_outlier_counts_by_its_severity(
    run: Run, made: Made, options: tuple[str, ...], code: int
) -> None:
    result = run("fleet", "show", str(made()), *options)

    assert result.exit_code == code
    assert "ill: shm.size is 64.0 MiB" in result.stdout


def test_a_finding_counts_by_its_severity(run: Run, made: Made) -> None:
    folder = made(5, ill=False)
    breaks = {"code": "X1", "name": "x", "severity": "breaks"}
    (folder / "h0.json").write_text(json.dumps(node("h0", GIB, breaks)))

    assert run("fleet", "show", str(folder)).exit_code == 1


def test_missing_nodes_are_a_risk(run: Run, made: Made) -> None:
    folder = str(made(5, ill=False))
    asked = ("fleet", "show", folder, "--expect", "h[0-5]")

    assert run(*asked).exit_code == 0
    result = run(*asked, "--fail-on", "risks")

    assert result.exit_code == 1
    assert "h5" in result.stdout


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_folder_that_is_not_there(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")

    result = run("fleet", "show", str(tmp_path / name))

    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert name in result.stderr


@pytest.mark.parametrize("content", [None, b"", b"{"])
def test_no_report_could_be_read(run: Run, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "odd.json").write_bytes(content)

    result = run("fleet", "show", str(tmp_path), "--format", "json")

    assert result.exit_code == 3
    assert json.loads(result.stdout)["nodes"] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--expect", "h["), "brackets do not match"),
        (("--expect", ""), "names no host"),
        (("--golden", "nowhere"), "--golden nowhere: cannot be read"),
        (("--golden", "odd"), "--golden odd: empty"),
        (("--format", "xml"), "is not one of"),
    ],
)
def test_what_cannot_be_meant(run: Run, made: Made, options: tuple[str, str], said: str) -> None:
    Path("odd").write_text("")

    result = run("fleet", "show", str(made(2)), *options)

    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_recorded_node_is_what_others_are_judged_by(run: Run, made: Made, tmp_path: Path) -> None:
    folder, golden = made(3), tmp_path / "golden.json"

    done = run("fleet", "record", str(folder / "h0.json"), "-o", str(golden))
    result = run("fleet", "show", str(folder), "--golden", str(golden), "--format", "json")

    assert done.exit_code == 0
    assert set(json.loads(golden.read_text())) == {"schema", "created", "facts"}
    assert [one["node"] for one in json.loads(result.stdout)["outliers"]] == ["ill"]


def test_a_record_keeps_the_name_of_the_node_alone(run: Run, tmp_path: Path) -> None:
    content = node("secret-host", GIB)
    content["facts"]["known"]["interpreter"] = {"prefix": "/home/bob/secret-host/env"}
    source, golden = tmp_path / "a.json", tmp_path / "golden.json"
    source.write_text(json.dumps(content))

    run("fleet", "record", str(source), "-o", str(golden))

    known = json.loads(golden.read_text())["facts"]["known"]
    assert known["node"] == {"name": "secret-host"}
    assert known["interpreter"]["prefix"] == "/home/<user-1>/<host-1>/env"


@pytest.mark.parametrize("content", [b"", b"hello", b"{}"])
def test_what_is_no_report_is_not_recorded(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd").write_bytes(content)

    result = run("fleet", "record", "odd", "-o", "golden.json")

    assert result.exit_code == 2
    assert result.stderr.startswith("pipedoctor fleet record: odd: ")
    assert not Path("golden.json").exists()


def test_a_report_is_written_and_nothing_is_printed(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    folder.mkdir()

    result = start(*QUICK, "--fleet-dir", "fleet")

    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    (file,) = folder.iterdir()
    written = json.loads(file.read_bytes())
    name = socket.gethostname()
    assert file.name.startswith(f"{name}--2")
    assert written["facts"]["known"]["node"] == {"name": name}


def test_only_the_first_rank_writes(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    folder.mkdir()

    result = start(*QUICK, "--fleet-dir", "fleet", env={"LOCAL_RANK": "1"})

    assert result.returncode == 0
    assert list(folder.iterdir()) == []


@pytest.mark.extended
def test_severities_count_only_when_that_is_asked_for(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    folder.mkdir()
    job = ("--workers", "16", "--batch-bytes", "1T", "--fleet-dir", "fleet")

    assert start(*QUICK, *job).returncode == 0
    assert start(*QUICK, *job, "--fail-on", "breaks").returncode == 1
    assert list(folder.iterdir())


@pytest.mark.extended
def test_folders_of_one_name_in_two_places_are_two(start: Start, tmp_path: Path) -> None:
    (tmp_path / "fleet").mkdir()

    with elect_process({}, str(tmp_path / "elsewhere/fleet"), get_this_node().name) as mine:
        start(*QUICK, "--fleet-dir", "fleet")
        assert mine
    (file,) = (tmp_path / "fleet").iterdir()
    file.unlink()
    with elect_process({}, str(tmp_path / "fleet"), get_this_node().name):
        start(*QUICK, "--fleet-dir", "fleet")
    assert list((tmp_path / "fleet").iterdir()) == []


def test_the_report_can_be_shown_as_well(start: Start, tmp_path: Path) -> None:
    (tmp_path / "fleet").mkdir()

    result = start(*QUICK, "--fleet-dir", "fleet", "--format", "json")

    assert json.loads(result.stdout)["schema"] == "pipedoctor.report/1"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--fleet-dir", "nowhere"),
            b"nowhere: No such file or directory; expected an existing folder that all nodes",
        ),
        (("--probe",), b"--probe requires --fleet-dir"),
        (("--fleet-dir", ".", "--from", "x"), b"cannot be combined with --from"),
    ],
)
def test_what_a_node_refuses(start: Start, options: tuple[str, ...], said: bytes) -> None:
    result = start(*QUICK, *options)

    assert result.returncode == 2
    assert said in result.stderr
    assert result.stderr.count(b"\n") == 1


def test_a_plain_check_never_names_its_node(start: Start) -> None:
    found = json.loads(start(*QUICK, "--format", "json").stdout)

    assert "node" not in found["facts"]["known"]


@pytest.mark.parametrize("command", [("check",), ("report", "-o", "-")])
def test_who_passes_a_report_on_redacts_its_node(
    start: Start, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(node("very-private", GIB)))

    result = start(*command, "--from", "a.json", "--format", "json")

    assert b"very-private" not in result.stdout
    known = json.loads(result.stdout)["facts"]["known"]
    assert known["node"] == {"name": "<host-1>"}


def test_a_probe_measures_the_node(start: Start, tmp_path: Path) -> None:
    (tmp_path / "fleet").mkdir()

    result = start(*QUICK, "--fleet-dir", "fleet", "--probe")

    assert result.returncode == 0
    (file,) = (tmp_path / "fleet").iterdir()
    probe = json.loads(file.read_bytes())["facts"]["known"]["node_probe"]
    assert 1e-5 < probe["decode_seconds"] < 1
    assert probe["page_faults_per_second"] > 1000
    assert probe["memory_bytes_per_second"] > 1 << 26
    assert probe["decoder"]
    if not Path("/dev/nvidiactl").exists():
        why = probe["unknown"]["transfer_bytes_per_second"]
        assert why == "no NVIDIA driver here"


@pytest.mark.extended
def test_two_hundred_reports_come_from_one_machine(start: Start, tmp_path: Path) -> None:
    """The same folder, other names: what a fleet of equal nodes looks like."""
    folder = tmp_path / "fleet"
    folder.mkdir()
    start(*QUICK, "--fleet-dir", "fleet")
    (file,) = folder.iterdir()
    content = json.loads(file.read_bytes())
    for number in range(200):
        content["facts"]["known"]["node"]["name"] = f"n{number:03}"
        (folder / f"n{number:03}.json").write_text(json.dumps(content))
    file.unlink()

    result = start("fleet", "show", "fleet", "--expect", "n[000-199]")

    assert result.returncode == 0
    assert result.stdout.startswith(b"200 of 200 nodes are fit for the job.\n")
