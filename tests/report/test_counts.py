"""How many of something, in words."""

import pytest

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
