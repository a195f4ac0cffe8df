"""Edits that need a name: the import they use, the one they add, and where."""

import json

import pytest

from tests.fix.code.conftest import Mend

TOP = "from torch.utils.data import DataLoader\n"
LOADER = "loader = DataLoader(data, num_workers=64)\n"
MINE = "num_workers=min(64, len({}.sched_getaffinity(0)))"
IN_MAIN = f"def main():\n    {TOP}    {LOADER}"
ADDED = "import os\n"
PLACES = {
    "after the last import": (
        f"{TOP}import sys  # for argv\n",
        ADDED,
        f"\nprint(sys.argv)\n{LOADER}",
    ),
    "after an import over several lines": (
        f"from torch import (\n    nn,\n)\n{TOP}from a import (\n    b,\n)\n",
        ADDED,
        LOADER,
    ),
    "before the first function": (
        TOP,
        ADDED,
        f"\n\ndef f():\n    pass\n\n\nimport sys\n{LOADER}",
    ),
    "after the future": (
        '"""Train."""\nfrom __future__ import annotations\n',
        ADDED,
        f"\ntry:\n    {TOP}finally:\n    pass\n\n\n{IN_MAIN}",
    ),
    "after the docstring": (
        '#!/usr/bin/env python\n"""Train."""\n',
        f"\n{ADDED}",
        f"\n\n{IN_MAIN}",
    ),
    "before all code": (
        "#!/usr/bin/env python\n# coding: utf-8\n",
        f"{ADDED}\n\n",
        f"# Ours\n{IN_MAIN}",
    ),
    "where the file ends without a newline": (
        f"{TOP}import sys\n",
        ADDED,
        LOADER.rstrip(),
    ),
    "two on one line": (f"{TOP}import sys; import re\n", ADDED, LOADER),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", PLACES)
def test_where_it_goes(mend: Mend, name: str, end: str) -> None:
    head, added, rest = PLACES[name]
    before = f"{head}{rest}".replace("\n", end)
    wanted = f"{head}{added}{rest}".replace("num_workers=64", MINE.format("os"))

    outcome = mend({"train.py": before}, select="PDR102", unsafe=True)

    assert outcome.files["train.py"].decode() == wanted.replace("\n", end)
    again = mend({"train.py": outcome.files["train.py"]}, select="PDR102", unsafe=True)
    assert not again.files


NAMES = {
    "import os as operating": "operating",
    "import os.path": "os",
    "import sys, os": "os",
    "from os import path": "os",
}


@pytest.mark.parametrize("line", NAMES)
def test_a_name_that_is_there_is_used(mend: Mend, line: str) -> None:
    outcome = mend({"train.py": f"{TOP}{line}\n{LOADER}"}, select="PDR102", unsafe=True)

    added = "import os\n" if line.startswith("from") else ""
    loader = LOADER.replace("num_workers=64", MINE.format(NAMES[line]))
    assert outcome.files["train.py"].decode() == f"{TOP}{line}\n{added}{loader}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{TOP}os = 1\n{LOADER}", id="a variable"),
        pytest.param(f"{TOP}import mine as os\n{LOADER}", id="another module"),
        pytest.param(f"{TOP}import os\nos = 1\n{LOADER}", id="bound again"),
        pytest.param(f"{TOP}{LOADER}import os\n", id="imported too late"),
        pytest.param(f"{TOP}import os\n\ndef main(os):\n    {LOADER}", id="a parameter"),
        pytest.param(
            f"{TOP}import os\n\ndef f():\n    global os\n    os = 1\n\n{LOADER}",
            id="by global",
        ),
        pytest.param(
            f"{TOP}try:\n    import os\nexcept ImportError:\n    os = None\n{LOADER}",
            id="perhaps",
        ),
        pytest.param(f"{TOP}def f(x):\n    return os\n\n{LOADER}", id="by a star"),
        pytest.param(f"{TOP}try:\n    f()\nexcept E as os:\n    pass\n{LOADER}", id="an error"),
    ],
)
def test_no_name_is_taken_away(mend: Mend, text: str) -> None:
    outcome = mend({"train.py": text}, select="PDR102", unsafe=True)

    assert not outcome.files


def test_several_that_need_the_same_share_it(mend: Mend) -> None:
    text = f"{TOP}a = DataLoader(x, num_workers=64)\nb = DataLoader(y, num_workers=64)\n"

    outcome = mend({"train.py": text}, select="PDR102", unsafe=True)

    assert outcome.files["train.py"].decode().count("import os\n") == 1
    assert outcome.files["train.py"].decode().count("sched_getaffinity") == 2


def test_a_notebook_gets_it_in_its_cell(mend: Mend) -> None:
    cells = [
        {"cell_type": "code", "source": ["%matplotlib inline\n", TOP]},
        {"cell_type": "code", "source": ["%%time\n", "# ours\n", LOADER]},
    ]

    outcome = mend({"work.ipynb": json.dumps({"cells": cells})}, select="PDR102", unsafe=True)

    after = json.loads(outcome.files["work.ipynb"])["cells"]
    assert after[0] == cells[0]
    loader = LOADER.replace("num_workers=64", MINE.format("os"))
    assert after[1]["source"] == ["%%time\n", "import os\n", "# ours\n", loader]


def test_a_notebook_uses_the_import_of_another_cell(mend: Mend) -> None:
    cells = [
        {"cell_type": "code", "source": [TOP, "import os"]},
        {"cell_type": "code", "source": [LOADER]},
    ]

    outcome = mend({"work.ipynb": json.dumps({"cells": cells})}, select="PDR102", unsafe=True)

    loader = LOADER.replace("num_workers=64", MINE.format("os"))
    assert json.loads(outcome.files["work.ipynb"])["cells"][1]["source"] == [loader]
