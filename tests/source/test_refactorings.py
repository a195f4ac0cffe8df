"""A hazard is found however its code is arranged: the examples of all pages, refactored."""

from collections.abc import Iterator, Mapping

import pytest

from pipedoctor.check.page import BAD_EXAMPLE, read_example
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts, Source
from tests.checks.code_samples import read
from tests.checks.test_examples import PROJECTS
from tests.source.refactored_syntax import Files, ground
from tests.source.refactorings import REFACTORINGS

HAZARDS = [c for c in get_catalogue().checks.values() if c.needs.get(Source)]
EXEMPT: Mapping[str, str] = {
    "drop-last-on-eval-rename": "that it evaluates shows in a name alone",
    "drop-last-on-eval-hold_in_object": "it is called train then",
    "drop-last-on-eval-keep_in_dictionary": "it is called train then",
    "main-guard-move_into_trainer": "it stands under the main guard then",
    "main-guard-train_in_hook": "it stands under the main guard then",
}
"""Cases where the refactored code does not have the hazard, or cannot be known to."""


def list_cases() -> Iterator[tuple[str, str, Files]]:
    for check in HAZARDS:
        code = ground(read_example(check, BAD_EXAMPLE))
        for refactor in REFACTORINGS:
            files = refactor(code)
            if files is not None and f"{check.name}-{refactor.__name__}" not in EXEMPT:
                yield check.name, refactor.__name__, files


CASES = {f"{name}-{how}": (name, files) for name, how, files in list_cases()}


@pytest.mark.parametrize(("name", "files"), CASES.values(), ids=CASES)
def test_refactored_example(name: str, files: Files) -> None:
    for path, text in files.items():
        compile(text, path, "exec")
    facts = Facts(read(files, **PROJECTS.get(name, {})))
    found = [hazard.name for hazard in HAZARDS if hazard.run(facts).findings]
    assert found == [name], "\n\n".join(files.values())
