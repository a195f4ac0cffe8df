"""What a shell would be told is told to IPython, in a cell."""

import pytest
from msgspec.structs import replace

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
        (remedy("/opt/bin/python3.11 -m pip install a"), "%pip install a"),
    ],
)
def test_what_a_restart_keeps(given: Remedy, typed: str) -> None:
    put = put_names(given, CELL)

    assert (put.shell or put.snippet) == typed
    assert put.title == "Do it, in a cell; then restart the kernel"


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        (remedy(snippet="export A=1 B=/x"), "%env A=1\n%env B=/x"),
        (
            remedy(snippet="export A=$(nproc) B=$HOME/x"),
            (
                "import os\nos.environ[\"A\"] = os.popen('echo $(nproc)').read().strip()\n"
                "os.environ[\"B\"] = os.popen('echo $HOME/x').read().strip()"
            ),
        ),
        (remedy(snippet="unset A"), 'import os\nos.environ.pop("A", None)'),
    ],
)
def test_what_a_restart_takes_away(given: Remedy, typed: str) -> None:
    put = put_names(given, CELL)

    assert put.snippet == typed
    assert put.title == "Do it, in the first cell after a restart of the kernel"


def test_a_program_is_started_from_a_cell() -> None:
    put = put_names(remedy("rm -f -- /dev/shm/torch_1"), CELL)

    assert (put.argv, put.snippet) == ((), "!rm -f -- /dev/shm/torch_1")
    assert put.title == "Do it"


def test_nothing_is_asked_in_a_cell() -> None:
    title = "Delete all but three (rm asks if these are more than three), and keep fewer"
    asks = replace(remedy(snippet="rm -rI -- $(ls -td c/*)"), title=title)

    put = put_names(asks, CELL)

    assert put.snippet == "!rm -r -- $(ls -td c/*)"
    assert put.title == "Delete all but three, and keep fewer"


@pytest.mark.parametrize(
    "given",
    [
        remedy("nvidia-smi"),
        remedy("find . -exec ls {} +"),
        remedy(snippet="loader = DataLoader(dataset)"),
        remedy(),
    ],
)
def test_what_no_cell_can_do_stays(given: Remedy) -> None:
    assert put_names(given, CELL) == given
