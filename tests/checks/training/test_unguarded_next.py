"""PDR405: the iterator ends before the loop."""

import pytest

from pipedoctor.facts import Facts
from pipedoctor.facts.code_events.training import BatchRequest
from pipedoctor.source.discover.merge import merge_sources
from pipedoctor_checks.training.unguarded_next import unguarded_next
from tests.checks.code_samples import find, make_tests, read
from tests.checks.image_samples import IMAGES

NEXT_LOOP = """
def main(names):
    count = {count}
    it = iter(DataLoader(rows))
    for step in range(count):
        net(next(it))
"""


def next_in_loop(before: str, count: str = "steps") -> str:
    return (
        f"{IMAGES}\nloader = DataLoader(Images())\n\ndef main(n):\n{before}"
        f"        for step in range({count}):\n            x = next(it)\n"
    )


SILENT = {
    "guarded": "def main(data):\n    it = iter(DataLoader(data))\n"
    "    for step in range(9):\n        try:\n            next(it)\n"
    "        except StopIteration:\n            break\n",
    "a default": "def main(data):\n    it = iter(DataLoader(data))\n"
    "    for step in range(9):\n        next(it, None)\n",
    "once": "def main(data):\n    it = iter(DataLoader(data))\n    next(it)\n",
    "endless": "def main(data):\n    it = iter(DataLoader(data, sampler=S()))\n"
    "    for step in range(9):\n        next(it)\n",
    "begun anew now and then": "loader = DataLoader(rows)\nit = iter(loader)\n"
    "for step in range(9999):\n    if step % 9 == 0:\n        it = iter(loader)\n"
    "    x = next(it)\n",
    "as long as an epoch": next_in_loop(
        "    steps = len(loader) // n\n    for epoch in range(9):\n        it = iter(loader)\n"
    ),
}
SPEAKS = {
    "may end": "def main(data):\n    it = iter(DataLoader(data))\n"
    "    for step in range(9):\n        next(it)\n",
    "as long as somebody says": next_in_loop(
        "    for epoch in range(9):\n        it = iter(loader)\n", "n"
    ),
    "begun once for all epochs": next_in_loop(
        "    it = iter(loader)\n    for epoch in range(9):\n", "len(loader)"
    ),
    "for ever": next_in_loop("    it = iter(loader)\n    while True:\n", "3"),
}
test_silent, test_speaks = make_tests(unguarded_next, SILENT, SPEAKS)


@pytest.mark.parametrize(("count", "found"), [("len(names)", 0), ("1000", 1)])
def test_as_many_as_there_are_names(count: str, found: int) -> None:
    assert len(find(unguarded_next, NEXT_LOOP.format(count=count))) == found


def test_requests_of_several_projects_are_still_known() -> None:
    code = next_in_loop("    it = iter(loader)\n    for epoch in range(9):\n", "n")
    merged = merge_sources([read(code), read(code)])

    assert len(list(unguarded_next.run(Facts(merged)).findings)) == 2
    assert {event.details.iterated for event in merged.select_events(BatchRequest)} == {"loader"}
