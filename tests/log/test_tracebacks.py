"""Own frames against those of libraries; notebooks; several ranks."""

import pytest

from pipedoctor.facts.log import Raised, TracebackFrame
from pipedoctor.log.line_prefixes import strip_prefixes
from pipedoctor.log.tracebacks import TracebackReader, is_library


def raised(text: str) -> list[Raised]:
    tracebacks = TracebackReader()
    for number, line in enumerate(text.splitlines(), 1):
        tracebacks.read_line(strip_prefixes(line), number)
    return tracebacks.raised


@pytest.mark.parametrize(
    ("path", "library"),
    [
        ("/home/me/train.py", False),
        ("train.py", False),
        ("/opt/conda/lib/python3.10/site-packages/torch/nn/modules/conv.py", True),
        (".../torch/nn/modules/conv.py", True),
        (r"C:\Python312\Lib\multiprocessing\spawn.py", True),
        ("h5py/h5d.pyx", True),
        ("<frozen importlib._bootstrap>", True),
        ("/home/me/project/lib/dataset.py", False),
    ],
)
def test_whose_code(path: str, library: bool) -> None:
    assert is_library(path) is library


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("│ ❱ 12 │   raise ValueError('x')   │", True),
        ("│   13 │   except queue.Empty:     │", True),
        ("│ /w/train.py:12 in <module>       │", False),
        ("| 12 | ValueError: of a table", False),
    ],
)
def test_code_in_a_box_is_quoted(line: str, code: bool) -> None:
    assert TracebackReader().read_line(strip_prefixes(line), 1) is code


@pytest.mark.parametrize("path", ["H5Dio.c", "a/b.cc", "x.cpp"])
def test_no_code_follows_a_frame_of_a_library_in_c(path: str) -> None:
    tracebacks = TracebackReader()
    tracebacks.read_line(strip_prefixes(f'  File "{path}", line 199, in H5Dread'), 1)

    assert not tracebacks.read_line(strip_prefixes("    can't read data"), 2)


def test_pytest_says_the_place_behind_the_message() -> None:
    (one,) = raised(
        "    def test_x():\n"
        ">       assert load(1) == 2\n"
        "E       AssertionError: assert 3 == 2\n"
        "E        +  where 3 = load(1)\n"
        "\n"
        "tests/test_a.py:4: AssertionError\n"
        "tests/test_a.py:9: KeyError\n"
    )

    assert (one.kind, one.own) == (
        "AssertionError",
        TracebackFrame(path="tests/test_a.py", line=4),
    )


def test_ranks_are_told_apart() -> None:
    found = raised(
        '[rank0]:   File "a.py", line 1, in f\n'
        '[rank1]:   File "b.py", line 2, in g\n'
        "[rank0]: ValueError: one\n"
        "[rank1]: KeyError: 'two'\n"
    )

    assert [(r.rank, r.kind, r.own) for r in found] == [
        ("0", "ValueError", TracebackFrame(path="a.py", line=1, function="f")),
        ("1", "KeyError", TracebackFrame(path="b.py", line=2, function="g")),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Cell In[5], line 3\n----> 3 f()\nKeyError: 'x'",
        "<ipython-input-5-abc> in <module>\n      2 a\n----> 3 f()\nKeyError: 'x'",
        "File ~/nb/a.py:3, in f(x)\n----> 3 f()\nKeyError: 'x'",
    ],
)
def test_notebooks(text: str) -> None:
    (found,) = raised(text)

    assert found.own is not None
    assert found.own.line == 3


def test_an_exception_of_one_s_own() -> None:
    found = raised('Traceback (most recent call last):\n  File "a.py", line 1\nOops: no')

    assert [(r.kind, r.message) for r in found] == [("Oops", "no")]


def test_warnings_are_no_exceptions() -> None:
    assert raised("a.py:3: UserWarning: something") == []
    assert raised("UserWarning: something") == []


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("cv2.error: OpenCV(4.8) (-215:Assertion failed)", ["cv2.error"]),
        ("binascii.Error: Incorrect padding", ["binascii.Error"]),
        ("train.py: error: unrecognized arguments: --epoch", []),
        ("error: command 'nvcc' failed", []),
    ],
)
def test_errors_that_are_called_just_that(line: str, kinds: list[str]) -> None:
    assert [r.kind for r in raised(line)] == kinds


def cut(text: str) -> list[tuple[str, str, int]]:
    tracebacks = TracebackReader()
    for number, line in enumerate(text.splitlines(), 1):
        tracebacks.read_line(strip_prefixes(line), number)
    found = tracebacks.add_truncated()
    assert len(tracebacks.raised) >= len(found)
    return [(promise.kind, promise.message, number) for promise, _, number in found]


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        ("    raise OSError('no room')", "OSError", "no room"),
        ('    raise torch.Oops(f"worker {pid!r} died")', "torch.Oops", "worker 0 died"),
        ("    raise OSError('got %d items of it' %", "OSError", "got 0 items of it"),
        ("    raise E('pid(s) {}'.format(x)) from e", "E", "pid(s) 0"),
        ('    raise OSError(errno.EMFILE, "limit")', "OSError", "[errno.EMFILE] limit"),
        ("    raise E('a\\n b\\'c')", "E", "a  b\\'c"),
    ],
)  # fmt: skip
def test_cut_before_the_message(code: str, kind: str, message: str) -> None:
    assert cut(f'  File "a.py", line 1, in f\n{code}\n') == [(kind, message, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "~/a.py in f()\n---> 12     raise OSError('no room')\n     13\n",
        "│ /w/a.py:12 in f │\n│ ❱ 12 │   │   raise OSError('no room')   │\n",
    ],
)
def test_cut_in_a_notebook_and_in_a_box(text: str) -> None:
    assert cut(text) == [("OSError", "no room", 2)]


@pytest.mark.parametrize(
    "rest",
    [
        "OSError: no room\n",
        "__main__.Wrapped: of an OSError\n",
        '  File "b.py", line 9, in __init__\n    super().__init__(x)\n',
    ],
)
def test_not_cut(rest: str) -> None:
    code = "  File \"a.py\", line 1, in f\n    raise OSError('no room')\n"

    assert cut(code + rest) == []


@pytest.mark.parametrize(
    "text",
    [
        "    raise OSError('of code that nobody quotes')\n",
        '  File "a.py", line 1\n    raise OSError(text)\n',
        '  File "a.py", line 1\n    raise OSError from error\n',
    ],
)
def test_nothing_is_promised(text: str) -> None:
    assert cut(text) == []


def test_cut_and_another_one_behind_it() -> None:
    text = (
        "  File \"a.py\", line 1\n    raise OSError('no room')\n"
        'Traceback (most recent call last):\n  File "b.py", line 2, in g\n'
        "KeyError: 'x'\n"
    )

    assert cut(text) == [("OSError", "no room", 2)]


def test_an_exception_behind_a_frame_without_code() -> None:
    (found,) = raised(
        "      Traceback (most recent call last):\n"
        '        File "<string>", line 22, in <module>\n'
        "      ModuleNotFoundError: No module named 'torch'"
    )

    assert found.kind == "ModuleNotFoundError"
