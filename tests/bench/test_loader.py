"""The stages of a loader, told from what the probe saw."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pipedoctor.facts import (
    Contents,
    Costs,
    Pipeline,
    Setting,
    Shares,
    Trial,
    Window,
)
from pipedoctor.tune.session import Refused
from pipedoctor.tune.stages import Stages, measure, sheet, trusted
from pipedoctor.tune.tuning import Order

CALM = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=0.0)
CROWDED = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=1.0)


def trial(workers: int, window: Window = CALM) -> Trial:
    return Trial(
        setting=Setting(num_workers=workers, prefetch_factor=2, batch_size=8),
        samples_per_second=100.0 * (workers + 1),
        batch_seconds=0.08 / (workers + 1),
        first_batch_seconds=0.25,
        costs=Costs(
            fetch_wall=0.08,
            fetch_cpu=0.07,
            fetch_process=0.07,
            collate_wall=0.004,
            send_wall=0.0005,
            receive_wall=0.001,
            next_cpu=0.002,
        ),
        window=window,
    )


SEEN = Pipeline(
    target="train.py:make",
    start=Setting(num_workers=1, prefetch_factor=2, batch_size=8),
    contents=Contents(bytes=4096, shared_bytes=4096, objects=2),
    wall=Shares(read=0.25, decode=0.5, transform=0.25),
    cpus=2.0,
    trials=(trial(0), trial(1)),
)


def test_every_stage_has_its_row() -> None:
    page = sheet(Stages(seen=SEEN, seconds=3.0))

    assert page.title == "One batch of train.py:make, stage by stage"
    assert page.rows == (
        ("  read", "20", "20", ""),
        ("  decode", "40", "40", ""),
        ("  transform", "20", "20", ""),
        ("get items", "80", "80", ""),
        ("collate", "4", "4", ""),
        ("send", "", "0.5", ""),
        ("receive", "", "", "1"),
        ("CPU within next()", "", "", "2"),
    )
    assert page.said[0].startswith("Bottleneck: ")
    assert page.said[1] == (
        "num_workers=0: 100 samples/s, a batch in 80 ms, the first after 0.25 s."
    )
    assert "A batch holds 4.0 KiB in 2 tensors." in page.notes


def test_without_a_trace_and_without_workers() -> None:
    seen = replace(
        SEEN,
        wall=None,
        trials=(trial(0),),
        contents=Contents(bytes=0, shared_bytes=0, objects=0),
    )

    page = sheet(Stages(seen=seen, trouble="with num_workers=1: it fails"))

    assert [row[0] for row in page.rows][:2] == ["get items", "collate"]
    assert page.rows[2] == ("send", "", "", "")
    assert page.notes[0] == "Not all was measured: with num_workers=1: it fails."


def test_what_others_decided_does_not_count() -> None:
    found = Stages(seen=replace(SEEN, trials=(trial(0, CROWDED), trial(1))))

    assert not found.unmeasured
    assert trusted(found).seen.trials == (trial(1),)
    assert any("1 window does not count" in note for note in sheet(found).notes)


@pytest.mark.parametrize(
    ("trials", "trouble", "why"),
    [
        ((trial(0, CROWDED),), "", "foreign CPU 1.0 cores: cannot say"),
        ((), "", "no batch came in the time given"),
        ((), "it fails", "it fails"),
    ],
)
def test_no_number_at_all(trials: tuple[Trial, ...], trouble: str, why: str) -> None:
    found = Stages(seen=replace(SEEN, trials=trials), trouble=trouble)

    assert found.unmeasured == why
    assert sheet(found).rows == ()


def test_a_real_loader(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "train.py"
    path.write_text(
        "import torch\n"
        "data = torch.utils.data.TensorDataset(torch.rand(4096, 8))\n"
        "make = lambda: torch.utils.data.DataLoader(data, batch_size=64)\n"
    )

    found = measure(Order(target=f"{path}:make", budget=8.0))

    assert not found.trouble
    (alone, *_) = found.seen.trials
    assert alone.setting.num_workers == 0
    assert alone.costs is not None
    assert alone.costs.fetch_wall > 0
    assert found.seen.contents.objects == 1


def test_a_target_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no such file"):
        measure(Order(target=f"{tmp_path / 'none.py'}:make", budget=25.0))
