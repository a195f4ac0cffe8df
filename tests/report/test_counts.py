"""How many of something, in words; and how a sentence begins."""

import pytest

from pipedoctor.report.model import begin_sentence
from pipedoctor.units import format_count


@pytest.mark.parametrize(
    ("count", "noun", "said"),
    [
        pytest.param(1, "CPU", "1 CPU", id="one"),
        pytest.param(0, "CPU", "0 CPUs", id="none"),
        pytest.param(0.5, "CPU", "0.5 CPUs", id="half"),
        pytest.param(1.0, "CPU", "1 CPU", id="one, as a float"),
        pytest.param(3, "process", "3 processes", id="a noun that ends with s"),
        pytest.param(123456, "worker", "123456 workers", id="in full"),
        pytest.param(1234567, "worker", "1234567 workers", id="above a million"),
    ],
)
def test_many(count: float, noun: str, said: str) -> None:
    assert format_count(count, noun) == said


@pytest.mark.parametrize(
    ("summary", "shown"),
    [
        ("the workers need 3.1 GiB", "The workers need 3.1 GiB"),
        ("no file records the versions", "No file records the versions"),
        ("torch has no CUDA", "torch has no CUDA"),
        ("num_workers=0 is passed", "num_workers=0 is passed"),
        ("/dev/shm has 64.0 MiB", "/dev/shm has 64.0 MiB"),
        ("", ""),
    ],
)
def test_a_summary_is_a_sentence_and_keeps_names(summary: str, shown: str) -> None:
    assert begin_sentence(summary) == shown
