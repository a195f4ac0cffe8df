"""PDR941, from a log: samples of different shapes cannot be stacked."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.collate_unequal_shapes import collate_unequal_shapes
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "RuntimeError: Caught RuntimeError in DataLoader worker process 0.\n"
    '  File "/env/lib/python3.11/site-packages/torch/utils/data/_utils/collate.py", '
    "line 162, in collate_tensor_fn\n"
    "RuntimeError: stack expects each tensor to be equal size, but got [3, 480, 640] "
    "at entry 0 and [3, 427, 640] at entry 1"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                '  File "/me/model.py", line 40, in forward\n'
                "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)"
            ),
            id="shapes that do not fit in the model",
        ),
        pytest.param(
            (
                "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, "
                "dicts or lists; found <class 'NoneType'>"
            ),
            id="a sample that is None",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert collate_unequal_shapes(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = collate_unequal_shapes(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert (
        finding.summary
        == "The samples of a batch have different shapes, and the default collate_fn stacks them"
    )
    assert finding.evidence == {
        "log.line": 1,
        "log.first": "3, 480, 640",
        "log.second": "3, 427, 640",
    }


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = collate_unequal_shapes(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = collate_unequal_shapes(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = collate_unequal_shapes.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"


@pytest.mark.parametrize(
    ("shapes", "titles"),
    [
        ("[3, 9, 9] at entry 0 and [1, 9, 9] at entry 1", ["channels"]),
        ("[3, 9, 9] at entry 0 and [1, 8, 9] at entry 1", ["channels", "size"]),
        ("[17] at entry 0 and [12] at entry 1", ["Pad"]),
    ],
    ids=["channels", "channels and sides", "rows"],
)
def test_the_shapes_tell_which_remedy_it_takes(shapes: str, titles: list[str]) -> None:
    said = f"RuntimeError: stack expects each tensor to be equal size, but got {shapes}"

    (finding,) = collate_unequal_shapes(diagnose_text(said), None)

    assert len(finding.remedies) == len(titles)
    assert all(word in one.title for word, one in zip(titles, finding.remedies, strict=True))


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ("1, 64, 501", "1, 64, 486", "Pad the samples of a batch"),
        ("3, 64, 501", "3, 64, 486", "Give all images the same size"),
        ("1, 480, 640", "1, 427, 640", "Give all images the same size"),
    ],
)
def test_rows_of_a_spectrogram_are_padded(first: str, second: str, title: str) -> None:
    text = (
        "RuntimeError: stack expects each tensor to be equal size, "
        f"but got [{first}] at entry 0 and [{second}] at entry 3"
    )
    (finding,) = collate_unequal_shapes(diagnose_text(text), None)

    assert finding.remedies[0].title.startswith(title)
