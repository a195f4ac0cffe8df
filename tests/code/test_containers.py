"""Containers that are opened for every item: which come again, and what that costs."""

from typing import Any

import pytest

from pipedoctor.check import Counterfactual, Finding, Severity
from pipedoctor.facts import DataSet, DataSets, Facts, Pipeline, Sample, Shares
from pipedoctor_checks.container_open_per_item import container_open_per_item
from tests.code.conftest import read
from tests.tune.seen import pipeline, setting, trial

ROWS = """
class Rows(Dataset):
    def __getitem__(self, index):
        with h5py.File(PATH) as file:
            return file["x"][index % 100]

    def __len__(self):
        return 1000
"""
OWN = ROWS.replace("PATH", "self.paths[index // 100]")
ONE = ROWS.replace("PATH", "self.path")


def kept(**suffixes: int) -> DataSets:
    """Data with so many files of each suffix."""
    files = {f".{name}": number for name, number in suffixes.items()}
    sample = Sample(
        files=sum(files.values()),
        bytes=1,
        complete=True,
        seconds=0.1,
        suffixes=files,
    )
    return DataSets(entries=(DataSet(path="/data", sample=sample),))


def measured(samples: int | None = 1000, workers: int = 4) -> Pipeline:
    shares = Shares(read=0.2, decode=0.3, transform=0.5, opened=0.25)
    return pipeline(
        trial(0, 0.02),
        start=setting(workers),
        samples=samples,
        wall=shares,
        cpu=shares,
    )


def spoken(code: str, *facts: Any, **settings: Any) -> Finding:
    known = Facts(read(code), *facts)
    (finding,) = container_open_per_item.run(known, **settings).findings
    return finding


def test_containers_that_come_again_stay_open_in_every_worker() -> None:
    finding = spoken(OWN, kept(h5=10), measured())

    assert finding.severity is Severity.SLOWS
    assert finding.summary == (
        "Rows.__getitem__ opens a container for every item,"
        " though 10 of them hold 1000 samples"
    )
    assert finding.evidence["containers"] == 10
    assert finding.evidence["kept_open"] == 10
    assert finding.evidence["found_open"] == 0.96
    assert finding.counterfactual == Counterfactual(opened=0.96)
    (remedy,) = finding.remedies
    assert remedy.title == (
        "Keep the last 10 open in every worker (recipe lru-per-worker)"
    )
    assert "functools.lru_cache(10)(h5py.File)" in remedy.snippet


def test_of_many_containers_some_stay_open() -> None:
    facts = kept(h5=200, hdf5=50, txt=999), measured(samples=10_000, workers=0)
    finding = spoken(OWN, *facts, handles=100)

    assert finding.counterfactual == Counterfactual(opened=0.4 * 0.99)
    assert "lru_cache(100)" in finding.remedies[0].snippet


UNKNOWN = DataSets(entries=(DataSet(path="/data"),))
HALF = DataSets(
    entries=(
        DataSet(
            path="/data",
            sample=Sample(
                files=9, bytes=1, complete=False, seconds=1, suffixes={".h5": 9}
            ),
        ),
    )
)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param((), id="nothing is known"),
        pytest.param((kept(h5=10),), id="nothing was measured"),
        pytest.param((measured(),), id="no data was named"),
        pytest.param((kept(h5=10), measured(None)), id="an epoch has no end"),
        pytest.param((kept(npy=10), measured()), id="no containers"),
        pytest.param((kept(h5=501), measured()), id="hardly one comes again"),
        pytest.param((UNKNOWN, measured()), id="nobody has looked"),
        pytest.param((HALF, measured()), id="nobody has seen all of them"),
        pytest.param(
            (kept(h5=100), measured(workers=10)), id="each worker opens each one once"
        ),
    ],
)
def test_else_each_item_may_have_its_own(facts: tuple[Any, ...]) -> None:
    finding = spoken(OWN, *facts)

    assert finding.severity is Severity.NOTE
    assert finding.counterfactual is None
    assert finding.remedies[0].title.startswith("Put many items into one")


def test_just_enough_samples_for_each() -> None:
    finding = spoken(OWN, kept(h5=500), measured(workers=1))

    assert finding.severity is Severity.SLOWS
    assert finding.evidence["kept_open"] == 128


def test_one_container_is_opened_once() -> None:
    finding = spoken(ONE, kept(h5=10), measured())

    assert finding.severity is Severity.SLOWS
    assert finding.counterfactual == Counterfactual(opened=1.0)
    assert finding.remedies[0].title == "Open it once in each worker"
