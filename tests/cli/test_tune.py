"""`tune` and `whatif` on the command line: what is told, to whom, and when it ends."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.terminal import output
from pipedoctor.tune.compare import whatif
from pipedoctor.tune.search import tuning as tunings
from pipedoctor.tune.search.probe import TrialFailedError
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.tuning import SearchAttempt, Tuning, TuningRequest
from pipedoctor.tune.target.messages import TargetLoaded
from tests.tune.scripted_search import done, search, tuning, waiting
from tests.tune.seen import setting

Run = Callable[..., Result]
HOME = "/home/wanda"
TARGET = f"{HOME}/work/data.py:make"
SECRET = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"


def private() -> Tuning:
    """A tuning whose target, trouble and limits name somebody."""
    found = done()
    limits = {"workers": f"workers do not start (spawn): no {HOME}/cache, {SECRET}"}
    return replace(
        found,
        request=replace(found.request, target=TARGET),
        pipeline=structs.replace(found.pipeline, target=TARGET, limits=limits),
        excluding_limits=limits,
        remarks=tuple(limits.values()),
        failure=f"with num_workers=8: OSError: {HOME}/photos/1.jpg",
        limits=replace(found.limits, workers_bound=limits["workers"]),
    )


@pytest.fixture
def _tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    def tune(_order: TuningRequest) -> Tuning:
        return private()

    monkeypatch.setattr(tunings, "tune", tune)


@pytest.mark.usefixtures("_tuned")
@pytest.mark.parametrize("form", ["text", "json"])
def test_who_works_here_is_told_to_no_file_and_no_pipe(run: Run, tmp_path: Path, form: str) -> None:
    page, out = tmp_path / "page.html", tmp_path / "tune.out"

    piped = run("tune", TARGET, "--format", form, "--html", str(page))
    written = run("tune", TARGET, "--format", form, "-o", str(out))

    assert piped.exit_code == written.exit_code == 3
    for said in (piped.stdout, page.read_text(), out.read_text()):
        assert "wanda" not in said
        assert SECRET not in said
        assert "user-1" in said
        assert "data.py:make" in said
        assert "photos/1.jpg" in said


@pytest.mark.usefixtures("_tuned")
def test_a_terminal_has_one_reader_and_no_secrets(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(output, "is_terminal", output.is_stdout)
    page = tmp_path / "page.html"

    shown = run("tune", TARGET, "--html", str(page)).stdout

    assert TARGET in shown
    assert SECRET not in shown
    assert "wanda" not in page.read_text()


@pytest.mark.usefixtures("_tuned")
def test_nothing_is_taken_out_where_that_is_asked_for(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"

    done = run("tune", TARGET, "--format", "json", "--no-redact", "--html", str(page))

    found = json.loads(done.stdout)
    assert found["target"] == found["facts"]["known"]["pipeline"]["target"] == TARGET
    assert found["limits"]["max_workers_bound"].endswith(SECRET)
    assert found["trouble"].endswith("photos/1.jpg")
    assert SECRET in page.read_text()


@pytest.mark.usefixtures("_tuned")
@pytest.mark.parametrize(
    ("args", "environ", "shaded"),
    [
        ((), {}, True),
        (("--no-color",), {}, False),
        ((), {"NO_COLOR": "1"}, False),
        ((), {"TERM": "dumb"}, False),
        (("-o", "out.txt"), {}, False),
    ],
)
def test_the_map_is_shaded_on_a_terminal_that_can(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    args: tuple[str, ...],
    environ: dict[str, str],
    shaded: bool,
) -> None:
    monkeypatch.setattr(output, "is_terminal", output.is_stdout)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    shown = run("tune", TARGET, *args).stdout

    if args[:1] == ("-o",):
        shown = (tmp_path / "out.txt").read_text()
    assert "samples/s by num_workers" in shown
    assert ("\x1b[30;43m[" in shown) == shaded


def test_a_pipe_gets_no_colors(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def tune(_order: TuningRequest) -> Tuning:
        return done()

    monkeypatch.setattr(tunings, "tune", tune)

    ended = run("tune", TARGET)

    assert ended.exit_code == 0
    assert "\x1b" not in ended.stdout


def test_a_page_of_what_was_ended_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def tune(_order: TuningRequest) -> Tuning:
        found = search(waiting)
        found.probe()
        return tuning(found, interrupted=True)

    monkeypatch.setattr(tunings, "tune", tune)
    page = tmp_path / "page.html"

    ended = run("tune", TARGET, "--html", str(page))

    assert ended.exit_code == 130
    assert "interrupted: results so far" in ended.stdout
    assert "<p>Interrupted: results so far.</p>" in page.read_text()


def attempt(search: SettingSearch, **values: Any) -> SearchAttempt:
    return SearchAttempt(
        search=search,
        loaded_target=TargetLoaded(setting=search.start, start_method="fork"),
        **values,
    )


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def give(found: SearchAttempt | BaseException) -> None:
        def attempted(_order: TuningRequest, _work: object, *, validate: object) -> SearchAttempt:
            assert callable(validate)
            if isinstance(found, SearchAttempt):
                return found
            raise found

        monkeypatch.setattr(tunings, "run_search", attempted)

    return give


def probed() -> SettingSearch:
    found = search(waiting, setting(2))
    whatif.probe_pipeline(found)
    return found


def test_what_if_answers_with_what_is_known_at_ctrl_c(
    run: Run, attempts: Callable[..., None]
) -> None:
    found = search(waiting, setting(2))
    found.measure(setting(0), 1.0)
    found.measure(setting(2), 1.0)
    attempts(attempt(found, interrupted=True))

    text = run("whatif", "data.py:make", "--workers", "4")
    answer = run("whatif", "data.py:make", "--workers", "4", "--format", "json")

    assert text.exit_code == answer.exit_code == 130
    assert "  interrupted: results so far\n" in text.stdout
    assert "modelled: " in text.stdout
    written = json.loads(answer.stdout)
    assert written["interrupted"] is True
    assert written["gain"] == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize("known", [(), (0,)])
def test_ctrl_c_before_the_current_setting_was_measured(
    run: Run, attempts: Callable[..., None], known: tuple[int, ...], snapshot: SnapshotAssertion
) -> None:
    found = search(waiting, setting(2))
    for workers in known:
        found.measure(setting(workers), 1.0)
    attempts(attempt(found, interrupted=True))

    ended = run("whatif", "data.py:make")

    assert (ended.exit_code, ended.stdout) == (130, "")
    assert ended.stderr == snapshot


def test_ctrl_c_before_any_costs_are_known(run: Run, attempts: Callable[..., None]) -> None:
    found = search(lambda of: structs.replace(waiting(of), costs=None), setting(2))
    found.measure(setting(2), 1.0)
    attempts(attempt(found, interrupted=True))

    ended = run("whatif", "data.py:make", "--workers", "4")

    assert (ended.exit_code, ended.stdout) == (130, "")


def test_ctrl_c_while_it_loads(run: Run, attempts: Callable[..., None]) -> None:
    attempts(KeyboardInterrupt())

    ended = run("whatif", "data.py:make")

    assert (ended.exit_code, ended.stdout) == (130, "")


def test_what_if_of_a_loader_that_fails(
    run: Run, attempts: Callable[..., None], snapshot: SnapshotAssertion
) -> None:
    attempts(attempt(probed(), failure=str(TrialFailedError("with num_workers=2: OSError"))))

    ended = run("whatif", "data.py:make")

    assert (ended.exit_code, ended.stdout) == (3, "")
    assert ended.stderr == snapshot


def test_what_if_ends_with_0_and_tells_no_file_who_works_here(
    run: Run, attempts: Callable[..., None]
) -> None:
    found = probed()
    found.base_pipeline = structs.replace(found.base_pipeline, target=TARGET)
    attempts(attempt(found))

    ended = run("whatif", TARGET)
    plain = run("whatif", TARGET, "--no-redact")

    assert ended.exit_code == plain.exit_code == 0
    assert "interrupted" not in ended.stdout
    assert "wanda" not in ended.stdout
    assert TARGET in plain.stdout
