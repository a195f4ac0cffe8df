"""Which functions of a stack are the user's own."""

import pytest

from pipedoctor.watch.stacks.code_objects import CodeObject
from pipedoctor.watch.stacks.frame_reader import RemoteFrame
from pipedoctor.watch.stacks.stack_phases import ProcessPhase, StackClassifier

LOOP = "_worker_loop", "torch/utils/data/_utils/worker.py"
FETCH = "_MapDatasetFetcher.fetch", "torch/utils/data/_utils/fetch.py"


def frame(number: int, name: str, path: str) -> RemoteFrame:
    return RemoteFrame(CodeObject(path, name, b"", 1, 0, (number,)), number, number, number)


def find_line(rows: list[tuple[str, str]]) -> str:
    """The path of the frame that a worker of this stack, innermost first, is judged by."""
    classifier = StackClassifier(is_worker=True)
    sample = classifier.classify([frame(n, name, path) for n, (name, path) in enumerate(rows)])
    assert sample.phase is ProcessPhase.FETCHING
    assert sample.frame is not None
    return sample.frame.code.path


@pytest.mark.parametrize(
    ("rows", "phase"),
    [
        ([], ProcessPhase.ENDING),
        ([("_shutdown", "/lib/python3.11/threading.py")], ProcessPhase.ENDING),
        (
            [
                ("Popen.wait", "/lib/python3.11/multiprocessing/popen_fork.py"),
                ("_exit_function", "/lib/python3.11/multiprocessing/util.py"),
            ],
            ProcessPhase.ENDING,
        ),
        ([("step", "/app/train.py"), ("<module>", "/app/train.py")], ProcessPhase.COMPUTING),
        ([("step", "/app/train.py"), ("_shutdown", "/app/train.py")], ProcessPhase.COMPUTING),
    ],
)
def test_a_program_that_has_ended_computes_nothing(
    rows: list[tuple[str, str]], phase: ProcessPhase
) -> None:
    classifier = StackClassifier(is_worker=False)
    frames = [frame(n, name, path) for n, (name, path) in enumerate(rows)]

    assert classifier.classify(frames).phase is phase


@pytest.mark.parametrize(
    ("library", "script", "expected"),
    [
        ("/app/site-packages", "/app/train.py", "/app/train.py"),
        ("/app/deps", "/app/train.py", "/app/train.py"),
        ("/opt/deps", "/app/train.py", "/app/train.py"),
        ("/app", "/app/train.py", "/app/PIL/Image.py"),
    ],
)
def test_what_lies_beside_torch_is_installed(library: str, script: str, expected: str) -> None:
    """As ``pip install --target`` puts it; nobody can tell it from code in the same folder."""
    rows = [("load", f"{library}/PIL/Image.py"), ("Photos.__getitem__", script)]
    rows += [(name, f"{library}/{path}") for name, path in (FETCH, LOOP)]

    assert find_line([*rows, ("main", script)]) == expected
