"""Whatever a file is written in: only what the edit says changes."""

import ast
import codecs
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Edit
from pipedoctor.check.edits import edit_arguments
from pipedoctor.facts.source import LoaderCall
from pipedoctor.fix.code.notebook import InexactEditError, NotebookText
from pipedoctor.fix.code.script import edit_content, edit_text, has_overlap
from pipedoctor.source.assemble import build_facts
from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.syntax.parse import parse_file
from tests.fix.code.conftest import HEAD, Mend

TOP = "from torch.utils.data import DataLoader\n"
CODE = HEAD + "# Prüfung\nval_loader = DataLoader(Images([]), 4, persistent_workers=True)"


def loader_of(raw: bytes, path: str = "train.py") -> LoaderCall:
    (loader,) = build_facts([parse_file(SourceFile(path, raw))]).loaders
    return loader


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(CODE.encode(), id="no newline at the end"),
        pytest.param(codecs.BOM_UTF8 + CODE.encode(), id="a byte order mark"),
        pytest.param(CODE.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(CODE.replace("\n", "\r").encode(), id="CR"),
        pytest.param(b"# -*- coding: latin-1 -*-\n" + CODE.encode("latin-1"), id="latin-1"),
        pytest.param(
            b"# coding: cp1252\r\n" + CODE.replace("\n", "\r\n").encode("cp1252"),
            id="cp1252 with CRLF",
        ),
        pytest.param(CODE.replace("\nval", " \t \n\fval").encode(), id="blanks and form feeds"),
        pytest.param(CODE.replace("val_l", "prüf_val_l").encode(), id="names with ü"),
    ],
)
def test_every_other_byte_stays(mend: Mend, raw: bytes) -> None:
    outcome = mend({"train.py": raw}, select="PDR104")

    assert outcome.files["train.py"] == raw.replace(
        b"persistent_workers=True", b"persistent_workers=False"
    )


def test_what_cannot_be_had_back_is_refused(mend: Mend, snapshot: SnapshotAssertion) -> None:
    raw = b"# coding: utf-7\n" + CODE.encode().replace(b"\xc3\xbc", b"+APw-+APw-")

    outcome = mend({"train.py": raw}, select="PDR104")

    assert not outcome.files
    assert [t.why for t in outcome.refused] == snapshot


def test_a_new_line_ends_as_the_others_do() -> None:
    raw = f"{TOP}x = DataLoader(\n    d,  # why\n)\n".replace("\n", "\r\n").encode()
    loader = loader_of(raw)

    new = edit_content(raw, "train.py", edit_arguments(loader, num_workers="2"))

    assert new == raw.replace(b"# why\r\n", b"# why\r\n    num_workers=2,\r\n")


def test_a_read_only_file_is_refused(
    mend: Mend, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    path = tmp_path / "train.py"
    path.write_text(CODE)
    path.chmod(0o444)

    outcome = mend({"other.py": "import torch\n"}, select="PDR104")

    assert [t.why for t in outcome.refused] == snapshot


def test_a_link_out_of_the_folder_is_refused(mend: Mend, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "real.py").write_text(CODE)
    (inside / "train.py").symlink_to(tmp_path / "real.py")

    outcome = mend({}, select="PDR104", paths=("inside",))

    assert not outcome.files
    (turned,) = outcome.refused
    assert turned.why == (
        f"inside/train.py is a link to {tmp_path}/real.py, outside the given paths"
    )


def test_a_link_within_the_folder_is_followed(mend: Mend, tmp_path: Path) -> None:
    (tmp_path / "z_real.py").write_text(CODE)
    (tmp_path / "train.py").symlink_to("z_real.py")

    outcome = mend({}, select="PDR104")

    assert list(outcome.files) == ["train.py"]
    assert os.path.realpath("train.py") == str(tmp_path / "z_real.py")


CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "source": ["# Prüfung\n", "x"], "metadata": {}},
    {"cell_type": "code", "source": ["%matplotlib inline\n", TOP], "outputs": []},
    {
        "cell_type": "code",
        "source": ["# ü\n", "val_loader = DataLoader(d, 4, persistent_workers=True)"],
        "outputs": [{"text": "persistent_workers=True"}],
    },
]


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("indent", [None, 1, 4])
def test_a_notebook_keeps_its_other_bytes(mend: Mend, *, plain: bool, indent: int | None) -> None:
    text = json.dumps({"cells": CELLS, "nb": 4}, indent=indent, ensure_ascii=plain)

    outcome = mend({"work.ipynb": text + "\n"}, select="PDR104")

    old, new = "d, 4, persistent_workers=True", "d, 4, persistent_workers=False"
    assert outcome.files["work.ipynb"].decode() == text.replace(old, new) + "\n"


def test_a_cell_may_grow() -> None:
    raw = json.dumps({"cells": CELLS}, indent=1).encode()
    edit = Edit(
        path="n",
        cell=2,
        line=1,
        column=1,
        end_line=1,
        end_column=1,
        replacement="import os\n",
    )

    new = edit_content(raw, "n.ipynb", [edit])

    source = json.loads(new)["cells"][2]["source"]
    assert source == ["import os\n", *CELLS[2]["source"]]
    assert len(new) == len(raw) + len('    "import os\\n",\n')


def test_a_cell_that_is_one_string() -> None:
    raw = b'{"cells": [{"source": "a = 1\\nb", "cell_type": "code"}]}'
    edit = Edit(path="n", cell=1, line=2, column=2, end_line=2, end_column=2, replacement="c")

    assert edit_content(raw, "n.ipynb", [edit]) == raw.replace(b"nb", b"nbc")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"[", "not a notebook"),
        (b"\xff", "not a notebook"),
        (b'{"cells": [{"cell_type": "code", "source": [1]}]}', "not a notebook"),
        (
            b'{"cells": [{"cell_type": "code", "source": ["\\u0061"]}]}',
            "escapes characters in an unusual way",
        ),
    ],
)
def test_a_notebook_that_cannot_be_kept(raw: bytes, why: str) -> None:
    edit = Edit(path="n", cell=1, line=1, column=1, end_line=1, end_column=1, replacement="c")

    with pytest.raises(InexactEditError, match=why):
        edit_content(raw, "n.ipynb", [edit])


def test_a_cell_of_one_line_does_not_become_several() -> None:
    sheet = NotebookText.read(b'{"cells": [{"cell_type": "code", "source": []}]}')

    with pytest.raises(InexactEditError):
        sheet.with_source(1, "a\nb")


def point(line: int, column: int, text: str, end: int | None = None) -> Edit:
    return Edit(
        path="a",
        line=line,
        column=column,
        end_line=line,
        end_column=end or column,
        replacement=text,
    )


def test_edits_that_overlap_or_lie_outside() -> None:
    with pytest.raises(InexactEditError, match="two edits overlap"):
        edit_text("abcdef", [point(1, 1, "x", 4), point(1, 3, "y", 5)])
    with pytest.raises(InexactEditError, match="line 3 does not exist"):
        edit_text("abc", [point(3, 1, "x")])
    with pytest.raises(InexactEditError, match="no column 9"):
        edit_text("abc", [point(1, 9, "x")])
    assert edit_text("abc\n", [point(2, 1, "x")]) == "abc\nx"
    assert edit_text("abc", [point(2, 1, "x")]) == "abcx"


@pytest.mark.parametrize(
    ("one", "other", "touch"),
    [
        (point(1, 1, "a", 3), point(1, 3, "b", 4), False),
        (point(1, 1, "a", 3), point(1, 2, "b", 4), True),
        (point(1, 3, "a"), point(1, 3, "b"), True),
        (point(1, 3, "a"), point(1, 3, "a"), False),
        (point(1, 3, "a"), point(2, 3, "b"), False),
    ],
)
def test_what_touches(one: Edit, other: Edit, *, touch: bool) -> None:
    assert has_overlap([one], [other]) is touch


BLANK = st.sampled_from(["", " ", "  ", "\n        ", "  # why, not\n    ", " \\\n  "])
VALUE = st.sampled_from(
    ["1", "(2)", "a.b", "f(x, y)", "[1, 2]", "'a, # )'", "lambda: (1,)", "((3))", "ü"]
)
KEYWORD = st.sampled_from(["batch_size", "shuffle", "timeout", "pin_memory"])


@st.composite
def calls(draw: st.DrawFn) -> str:
    """``DataLoader(...)`` as nobody would write it."""
    keywords = draw(st.lists(KEYWORD, unique=True, max_size=4))
    items = [draw(VALUE)]
    items += [f"{name}{draw(BLANK)}={draw(BLANK)}{draw(VALUE)}" for name in keywords]
    text = draw(BLANK)
    for number, item in enumerate(items):
        last = number == len(items) - 1
        comma = draw(st.sampled_from(["", ","])) if last else ","
        text += f"{item}{draw(BLANK)}{comma}{draw(BLANK)}"
    return f"DataLoader{draw(st.sampled_from(['', ' ']))}({text})"


def tree_of(raw: bytes) -> ast.Call:
    (last,) = ast.parse(raw).body[1:]
    assert isinstance(last, ast.Assign)
    assert isinstance(last.value, ast.Call)
    return last.value


@settings(deadline=None, max_examples=settings().max_examples * 2)
@given(
    call=calls(),
    mark=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "latin-1"]),
)
def test_only_the_wanted_argument_differs(
    call: str, *, mark: bool, newline: str, encoding: str
) -> None:
    head = TOP if encoding == "utf-8" else f"# coding: {encoding}\n{TOP}"
    raw = f"{head}x = {call}\n".replace("\n", newline).encode(encoding)
    raw = codecs.BOM_UTF8 + raw if mark and encoding == "utf-8" else raw
    before = tree_of(raw)
    loader = loader_of(raw)
    assert loader.call is not None

    edits = edit_arguments(loader, pin_memory="True", num_workers="2")
    new = edit_content(raw, "train.py", edits)

    after = {w.arg: ast.unparse(w.value) for w in tree_of(new).keywords}
    old = {w.arg: ast.unparse(w.value) for w in before.keywords}
    assert after == {**old, "pin_memory": "True", "num_workers": "2"}
    assert [*map(ast.dump, tree_of(new).args)] == [*map(ast.dump, before.args)]


@settings(deadline=None, max_examples=settings().max_examples * 2)
@given(call=calls(), name=KEYWORD)
def test_only_the_unwanted_argument_goes(call: str, name: str) -> None:
    raw = f"{TOP}x = {call}\n".encode()
    loader = loader_of(raw)
    given_ = loader.call.given.get(name) if loader.call else None
    if given_ is None or given_.whole is None:
        return
    span = given_.whole
    cut = Edit(
        path="train.py",
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        replacement="",
    )

    after = tree_of(edit_content(raw, "train.py", [cut]))

    left = [ast.dump(w) for w in tree_of(raw).keywords if w.arg != name]
    assert [*map(ast.dump, after.keywords)] == left
    assert [*map(ast.dump, after.args)] == [*map(ast.dump, tree_of(raw).args)]
