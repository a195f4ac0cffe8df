"""What tests that start processes may not leave behind."""

from collections.abc import Generator

import pytest

from tests.runtime.probes_in_lanes import children, descriptors


@pytest.fixture(autouse=True)
def _both_kinds_of_lanes(forked_lanes: None) -> None:
    """Files are read in children here, as users' are."""


@pytest.fixture
def nothing_is_left_over() -> Generator[None, None, None]:
    """Neither a child, nor a zombie, nor a descriptor; those of earlier tests may go."""
    before = descriptors(), children()
    yield
    assert descriptors() <= before[0]
    assert children() <= before[1]
