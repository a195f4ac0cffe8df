"""What is found does not depend on which detector asks first, also where all share a project."""

import random

import pytest

from pipedoctor.check.page import BAD_EXAMPLE, read_example
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Source
from pipedoctor.source.assemble import DETECTORS, Detector, build_facts_of_modules, index_file
from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.syntax.parse import parse_file
from tests.checks.code_samples import HEAD
from tests.source.refactored_syntax import ground

EXAMPLES = {
    f"{check.name.replace('-', '_')}.py": HEAD + ground(read_example(check, BAD_EXAMPLE))
    for check in get_catalogue().checks.values()
    if check.needs.get(Source)
}


def read_examples(detectors: tuple[Detector, ...]) -> Source:
    """The facts of all examples, as files of one project."""
    parsed = [parse_file(SourceFile(path, text.encode())) for path, text in EXAMPLES.items()]
    return build_facts_of_modules([index_file(one) for one in parsed], detectors=detectors)


@pytest.fixture(scope="module")
def expected() -> Source:
    return read_examples(DETECTORS)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_other_orders(expected: Source, seed: int | None) -> None:
    others = list(reversed(DETECTORS))
    if seed is not None:
        random.Random(seed).shuffle(others)

    found = read_examples(tuple(others))

    assert len(found.events) > len(EXAMPLES)
    assert found == expected
