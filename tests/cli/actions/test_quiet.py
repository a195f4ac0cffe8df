"""`--wait`: measuring begins when the machine is quiet, or when time is up."""

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from pipedoctor.bench.window import CpuMeter
from pipedoctor.cli import main
from pipedoctor.cli.actions import quiet
from pipedoctor.cli.actions.check_output import choose_exit_code
from pipedoctor.cli.request.check_options import CheckOptions
from pipedoctor.facts import Window
from pipedoctor.report.model import Report, ReportedFacts, SeverityCounts

BUSY = Window(seconds=1, cpus=2, own=0, foreign=1.5, foreign_process="python3, pid 9")
CALM = Window(seconds=1, cpus=2, own=0, foreign=0.1)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> list[Window]:
    """What the meter shows, one look after the other; the last one stays."""
    shown: list[Window] = []

    class Meter:
        def start(self) -> None:
            """Nothing is measured."""

        def stop(self) -> Window:
            return shown.pop(0) if len(shown) > 1 else shown[0]

    monkeypatch.setattr("pipedoctor.bench.window.CpuMeter", Meter)
    return shown


def test_a_quiet_machine_is_measured_at_once(
    windows: list[Window], capsys: pytest.CaptureFixture[str]
) -> None:
    windows.append(CALM)

    assert quiet.wait_until_quiet(60, sleep=lambda _: None) == ""
    assert capsys.readouterr().err == ""


def test_it_says_for_whom_it_waits(
    windows: list[Window], capsys: pytest.CaptureFixture[str]
) -> None:
    windows += [BUSY, BUSY, CALM]

    assert quiet.wait_until_quiet(60, sleep=lambda _: None) == ""
    said = capsys.readouterr().err
    assert said == "pipedoctor: waiting: python3, pid 9 uses 1.5 of 2 CPUs\n", "once"


def test_it_ends_when_time_is_up(windows: list[Window], capsys: pytest.CaptureFixture[str]) -> None:
    windows.append(BUSY)

    assert quiet.wait_until_quiet(0.01) == "python3, pid 9"
    assert "still busy after 0.01 s" in capsys.readouterr().err


def test_nobody_waits_unasked(windows: list[Window]) -> None:
    windows.append(BUSY)

    assert quiet.wait_until_quiet(0.0) == ""


@pytest.mark.parametrize("asked", [True, False])
def test_busy_windows_count_if_asked_for_this_command_alone(*, asked: bool) -> None:
    runner = CliRunner()
    line = ["bench", "disk", "/nowhere/at/all", *(["--allow-busy"] if asked else [])]
    CpuMeter.tolerant = not asked
    try:
        runner.invoke(main, line)
        assert CpuMeter.tolerant == asked
    finally:
        CpuMeter.tolerant = False


def test_a_tolerated_window_counts_and_is_marked() -> None:
    tolerated = replace(BUSY, tolerated=True)

    assert BUSY.rejection_reason
    assert (tolerated.rejection_reason, tolerated.disturbance) == ("", BUSY.disturbance)


@pytest.mark.parametrize(("known", "code"), [({}, 3), ({"pipeline": {}}, 0)])
def test_a_measurement_that_failed_is_no_success(
    known: dict[str, dict[str, object]], code: int
) -> None:
    report = Report(
        created="",
        seconds=0,
        facts=ReportedFacts(known=known, unknown={}),
        healthy=("PDR701",),
        summary=SeverityCounts(),
    )

    assert choose_exit_code(report, CheckOptions(), measured=True) == code
    assert choose_exit_code(report, CheckOptions()) == 0
