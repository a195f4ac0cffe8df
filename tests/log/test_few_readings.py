"""A few readings are a row where the log holds nothing else."""

import io

from pipedoctor.explanation.reasoning import diagnose
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.read import read_log

BOOK = load_signatures()
GROWTH = "worker_memory_growth_cow"


def _causes(*lines: str) -> list[str]:
    log = read_log(io.BytesIO("\n".join(lines).encode()), BOOK)
    return [c.cause for c in diagnose(log, BOOK).causes if not c.by_words]


def _sizes(*sizes: float) -> list[str]:
    return [f"step {i}000  PSS {size} GB" for i, size in enumerate(sizes)]


def test_three_that_double() -> None:
    assert _causes(*_sizes(1.2, 3.3, 5.4)) == [GROWTH]


def test_two_are_none() -> None:
    assert _causes(*_sizes(1.2, 5.4)) == []


def test_steps_of_a_start_are_none() -> None:
    said = "after imports", "after building the model", "after loading the data"

    assert _causes(*(f"RAM: {2**i}.0 GB {one}" for i, one in enumerate(said))) == []


def test_less_than_double_is_a_start() -> None:
    assert _causes(*_sizes(3.0, 4.0, 5.9)) == []


def test_one_that_falls_ends_it() -> None:
    assert _causes(*_sizes(1.2, 5.4, 5.4)) == []


def test_nothing_grows_from_nothing() -> None:
    assert _causes(*_sizes(0, 0.3, 0.9)) == []


def test_in_a_long_log_they_are_how_it_starts() -> None:
    rest = [f"epoch 1 batch {i} loss 0.4" for i in range(60)]

    assert _causes(*_sizes(1.2, 3.3, 5.4), *rest) == []


def test_readings_of_any_name() -> None:
    percent = [f"Memory usage at epoch {i}: {p}%" for i, p in enumerate((14, 27, 43))]
    mem = [f"step {500 * i} cpu mem {g} GB" for i, g in enumerate((10.2, 15.9, 21.7))]

    assert _causes(*percent) == [GROWTH]
    assert _causes(*mem) == [GROWTH]
    assert _causes(*("GPU " + line for line in percent)) == []
