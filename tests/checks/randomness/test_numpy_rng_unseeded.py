"""PDR501: all workers draw the same random numbers."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import TorchBuild
from pipedoctor.facts.source_marks import Minimum
from pipedoctor_checks.randomness.numpy_rng_unseeded import numpy_rng_unseeded
from tests.checks.code_samples import find, rows_dataset
from tests.checks.image_samples import photo_training

WORKER_SEED = "np.random.seed(torch.utils.data.get_worker_info().id)"
SILENT = {
    "new torch": rows_dataset(item="np.random.rand()"),
    "seeded": "def seed(i):\n    np.random.seed(torch.initial_seed() % 2**32)\n"
    + rows_dataset(item="np.random.rand()", more=", worker_init_fn=seed"),
    "the other random": rows_dataset(item="random.random()"),
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_silent(code: str) -> None:
    assert find(numpy_rng_unseeded, code) == []


@pytest.mark.parametrize(
    ("declared", "installed", "severities"),
    [
        pytest.param("1.9", "2.13.0", [], id="new enough"),
        pytest.param("1.8", "2.13.0", [Severity.NOTE], id="only the project is old"),
        pytest.param("1.8", "1.8.1", [Severity.BREAKS], id="the installed one is old"),
    ],
)
def test_numpy_is_seeded_from_torch_1_9_on(
    declared: str, installed: str, severities: list[Severity]
) -> None:
    found = find(
        numpy_rng_unseeded,
        rows_dataset(item="np.random.rand()"),
        TorchBuild(version=installed),
        torch=Minimum(version=declared, told="setup.py"),
    )

    assert [finding.severity for finding in found] == severities


def test_numpy_may_not_be_seeded_where_nobody_knows_which_torch_is_here() -> None:
    old = Minimum(version="1.8", told="setup.py")

    (finding,) = find(numpy_rng_unseeded, rows_dataset(item="np.random.rand()"), torch=old)

    assert finding.severity is Severity.RISKS
    assert finding.evidence["oldest_torch"] == "1.8 (setup.py)"


@pytest.mark.parametrize(
    ("start", "more", "findings"),
    [
        pytest.param(
            "def seed(i):\n    np.random.seed(torch.initial_seed() % 2**32)\n",
            ", worker_init_fn=seed",
            0,
            id="seeded",
        ),
        pytest.param("", ", worker_init_fn=lambda i: None", 0, id="nobody can say"),
        pytest.param("def greet(i):\n    pass\n", ", worker_init_fn=greet", 1, id="not seeded"),
    ],
)
def test_numpy_below_torch_1_9_wants_a_seed(start: str, more: str, findings: int) -> None:
    found = find(
        numpy_rng_unseeded,
        start + rows_dataset(item="np.random.rand()", more=more),
        TorchBuild(version="1.8.1"),
        torch=Minimum(version="1.8", told="setup.py"),
    )

    assert len(found) == findings


@pytest.mark.parametrize(("first", "found"), [(WORKER_SEED, 0), ("pass", 1)])
def test_a_data_set_that_seeds_numpy_itself(first: str, found: int) -> None:
    code = photo_training(first=f"{first}\n        np.random.rand()")
    old = Minimum(version="1.6", told="README.md")

    assert len(find(numpy_rng_unseeded, code, torch=old)) == found


@pytest.mark.parametrize(("split", "found"), [("train", 0), ("test", 1)])
def test_detectron2_seeds_numpy_in_the_workers_of_a_training(split: str, found: int) -> None:
    code = f"""
from detectron2.data import build_detection_{split}_loader

class Mapper:
    def __call__(self, row):
        return np.random.rand()

def load(config, rows):
    return build_detection_{split}_loader(config, mapper=Mapper()), DataLoader(rows, num_workers=2)
"""
    old = Minimum(version="1.6", told="README.md")

    assert len(find(numpy_rng_unseeded, code, torch=old)) == found


def test_old_draws_are_said_once_of_a_project() -> None:
    draws = photo_training(first="np.random.rand()")
    old = Minimum(version="1.6", told="README.md")

    (finding,) = find(numpy_rng_unseeded, draws + draws.replace("Photos", "Other"), torch=old)

    assert finding.summary == (
        "Photos.__getitem__ and 1 more draw from numpy; torch seeds numpy only from 1.9 on"
    )


def test_what_a_test_draws_need_not_differ() -> None:
    draws = "import unittest\n" + photo_training(first="np.random.rand()")
    old = Minimum(version="1.6", told="README.md")

    assert not find(numpy_rng_unseeded, draws, torch=old)


@pytest.mark.parametrize(("seeded", "found"), [("random", 1), ("np.random", 0)])
def test_an_inner_function_may_seed_another_generator(seeded: str, found: int) -> None:
    code = rows_dataset(item="np.random.rand()", more=", worker_init_fn=seeds()") + (
        f"\ndef train():\n    def seed(i):\n        {seeded}.seed(torch.initial_seed() % 9)\n"
        "    return DataLoader(Rows(), num_workers=2, worker_init_fn=seed)\n"
    )
    old = Minimum(version="1.6", told="README.md")

    assert len(find(numpy_rng_unseeded, code, torch=old)) == found
