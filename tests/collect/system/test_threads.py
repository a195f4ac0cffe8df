"""The threads section: what the job's environment asks for."""

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.threads import threads
from pipedoctor.facts import Threads


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("4", Threads(asked={"OMP_NUM_THREADS": 4}), id="a number"),
        pytest.param("4,2", Threads(asked={"OMP_NUM_THREADS": 4}), id="nested levels"),
        pytest.param(" 8 ", Threads(asked={"OMP_NUM_THREADS": 8}), id="spaces"),
        pytest.param("0", Threads(odd={"OMP_NUM_THREADS": "0"}), id="zero"),
        pytest.param("", Threads(odd={"OMP_NUM_THREADS": ""}), id="empty"),
        pytest.param("-1", Threads(odd={"OMP_NUM_THREADS": "-1"}), id="negative"),
        pytest.param("all", Threads(odd={"OMP_NUM_THREADS": "all"}), id="a word"),
        pytest.param("9" * 5000, Threads(odd={"OMP_NUM_THREADS": "9" * 100}), id="huge"),
        pytest.param("²", Threads(odd={"OMP_NUM_THREADS": "²"}), id="no ASCII digit"),
    ],
)
def test_value(value: str, expected: Threads) -> None:
    assert look(OMP_NUM_THREADS=value) == expected


def test_only_what_is_set() -> None:
    seen = look(HOME="/root", MKL_NUM_THREADS="2", RAYON_NUM_THREADS="64")

    assert seen == Threads(asked={"MKL_NUM_THREADS": 2, "RAYON_NUM_THREADS": 64})


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param({}, None, id="nothing set"),
        pytest.param({"RAYON_NUM_THREADS": 3}, None, id="not for BLAS"),
        pytest.param({"OMP_NUM_THREADS": 4}, ("OMP_NUM_THREADS", 4), id="OpenMP alone"),
        pytest.param(
            {"OMP_NUM_THREADS": 4, "OPENBLAS_NUM_THREADS": 1},
            ("OPENBLAS_NUM_THREADS", 1),
            id="the library's own comes first",
        ),
    ],
)
def test_blas(asked: dict[str, int], expected: tuple[str, int] | None) -> None:
    assert Threads(asked=asked).blas_setting == expected


def look(**environ: str) -> Threads:
    return threads(Machine(environ=environ), lambda _: None)
