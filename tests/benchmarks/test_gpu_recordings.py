"""Recordings of real GPUs: where they are kept, and how their contents are judged."""

import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))  # last, so that the installed package comes first

from benchmarks.gpu import run  # noqa: E402  (the path comes first)
from benchmarks.gpu.parts import PARTS, Part, facts, load_part, tune, watch  # noqa: E402
from benchmarks.gpu.results import Card, Results, Table  # noqa: E402
from benchmarks.gpu.session import Place, Session  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs on Linux only")
CARD = Card("NVIDIA H100", "580.1", "13.0", "2026-01-01", 16, "6.1", dry_run=False)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(
        out=str(tmp_path / "out"),
        scratch=str(tmp_path),
        python=sys.executable,
        machine_python=sys.executable,
        pipedoctor="pipedoctor",
        wheels=str(tmp_path),
    )


def test_what_does_not_fit_is_named(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    results = Results(Path(place.out))
    results.begin(CARD)

    code = run.run_parts(place, results, None, 1.0)

    said = capsys.readouterr().out
    assert f"left out: {', '.join(PARTS)} (run: sh dev.sh gpu --parts {','.join(PARTS)})" in said
    assert code == 0
    assert "left out: no time was left" in (results.folder / "gpu.md").read_text()


def test_a_part_that_is_not_written_yet(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part's own process does not know it either."""
    monkeypatch.setitem(PARTS, "gpm", Part("gpm", "Counters of Hopper", 1.0))
    results = Results(Path(place.out))
    results.begin(CARD)

    assert load_part("gpm") is None
    run.run_parts(place, results, ["gpm"], 1.0)

    assert "left out: it is not written yet" in capsys.readouterr().out


def test_results_survive_and_another_card_begins_anew(tmp_path: Path) -> None:
    first = Results(tmp_path)
    first.begin(CARD)
    first.begin_part("facts", "Facts")
    first.put_table("facts", Table("Fields", ("a", ""), [["x", "WRONG"]]))

    again = Results(tmp_path)

    assert again.list_wrong() == ["facts: x WRONG"]
    assert "cut off" in (tmp_path / "gpu.md").read_text()
    again.begin(Card("NVIDIA H200", "580.1", "13.0", "2026-01-01", 16, "6.1", dry_run=False))
    assert Results(tmp_path).data["parts"] == {}


def test_the_slug_of_a_stub_is_no_recording_of_a_card() -> None:
    assert CARD.slug == "nvidia-h100"
    stubbed = Card("NVIDIA H100 80GB HBM3", "1", "1", "2026-01-01", 1, "6", dry_run=True)
    assert stubbed.slug == "dry-run-nvidia-h100-80gb-hbm3"


def test_a_machine_whose_gpus_are_not_seen_is_wrong(place: Place) -> None:
    Results(Path(place.out)).begin(CARD)
    session = Session(place, "facts", time.monotonic() + 60)
    report = {"facts": {"known": {}, "unknown": {"gpu": "libnvidia-ml.so.1 not found"}}}

    table = facts.compare_fields(session, report, "no answer", "no answer")

    assert table.rows == [["", "all", "no facts of GPUs: libnvidia-ml.so.1 not found", "", "WRONG"]]


@pytest.mark.parametrize(
    ("recommended", "dry", "verdict"),
    [
        ("8:2", False, "right"),
        ("4:2", False, "WRONG"),
        ("2:2", False, "WRONG"),
        ("", False, "WRONG"),
        ("", True, ""),
    ],
)
def test_a_recommendation_is_judged(recommended: str, dry: bool, verdict: str) -> None:
    rounds = {"4:2": [91.0, 89.0], "8:2": [101.0, 99.0]}

    table = tune.judge_regret({}, recommended, rounds, dry=dry)

    assert table.rows[-1][-1] == verdict


def test_a_regret_below_the_noise_is_none() -> None:
    rounds = {"4:2": [70.0, 110.0], "8:2": [120.0, 80.0]}

    table = tune.judge_regret({}, "4:2", rounds, dry=False)

    assert tune.estimate_noise(rounds) == pytest.approx(0.21, abs=0.01)
    assert table.rows[-1][-1] == "right"
    assert tune.estimate_noise({"4:2": [90.0]}) == 0


def test_what_watch_reads_is_compared() -> None:
    own = [{"index": 0, "power": 690.0, "clock": 1_980_000_000, "memory": None}]

    right = watch.compare_live_fields(
        own, [{"power": 600.0, "clock": 1_755_000_000, "memory": None}]
    )
    wrong = watch.compare_live_fields(own, [{"power": 69.0, "clock": None, "memory": 4.0}])

    assert [row[-1] for row in right] == ["right"] * 3
    assert [row[-1] for row in wrong] == ["WRONG"] * 3
    assert right[2] == ["0", "memory", "not supported", "not supported", "right"]


def test_every_watched_loop_has_a_label_and_a_marked_line() -> None:
    marked = set(watch.find_marked_lines())

    assert marked == set(watch.LABELS)
