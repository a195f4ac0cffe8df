"""What a shell would be told is told to IPython, in a cell."""

import pytest

from pipedoctor.check import Lasts, Remedy
from pipedoctor.check.project_names import put_names

CELL = {"notebook": "ipython-input-3"}


def remedy(argv: str = "", snippet: str = "") -> Remedy:
    return Remedy(title="Do it", argv=tuple(argv.split()), snippet=snippet, lasts=Lasts.ALWAYS)


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        (remedy("python -m pip install torch==2.6.0"), "%pip install torch==2.6.0"),
        (
            remedy(snippet="python -m pip cache purge\npython -m pip install a"),
            "%pip cache purge\n%pip install a",
        ),
        (remedy(snippet="export A=1 B=/x"), "%env A=1\n%env B=/x"),
    ],
)
def test_a_cell(given: Remedy, typed: str) -> None:
    put = put_names(given, CELL)

    assert (put.shell or put.snippet) == typed
    assert put.title.startswith("Do it, in a cell")


@pytest.mark.parametrize(
    "given",
    [
        remedy("nvidia-smi"),
        remedy(snippet="export A=$(nproc)"),
        remedy(snippet="loader = DataLoader(dataset)"),
        remedy(),
    ],
)
def test_what_no_cell_can_do_stays(given: Remedy) -> None:
    assert put_names(given, CELL) == given
