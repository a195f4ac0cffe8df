"""What attributes of objects stand for, where a constructor sets whatever it is given."""

import pytest

from pipedoctor.facts.source import Argument
from tests.checks.code_samples import read

CONFIG = """
class Config:
    workers = 0
    def __init__(self, **kwargs):
        {body}

def main(rows, options):
    config = Config({given})
    loader = DataLoader(rows, num_workers=config.workers)
"""
SETS = "for name, value in kwargs.items():\n            setattr(self, name, value)"


def workers_of(body: str, given: str) -> Argument:
    (loader,) = read(CONFIG.format(body=body, given=given)).loaders
    return loader.get("num_workers")


@pytest.mark.parametrize("body", [SETS, "self.__dict__.update(kwargs)"])
def test_what_the_call_gives_counts(body: str) -> None:
    assert workers_of(body, "workers=4").value == 4
    assert workers_of(body, "rate=4").value == 0


def test_what_is_not_seen_stays_unknown() -> None:
    assert not workers_of(SETS, "**options").is_known


def test_a_constructor_that_sets_nothing_leaves_the_attribute_of_the_class() -> None:
    assert workers_of("pass", "rate=4").value == 0
