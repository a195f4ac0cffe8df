"""Two hundred planted secrets of twenty kinds, and a machine that tells all of them."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
import pytest

from pipedoctor.facts.record import FACT_KINDS
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.vocabulary import PUBLIC_FIELDS

Table = dict[str, list[tuple[str, str]]]
Start = Callable[..., "subprocess.CompletedProcess[bytes]"]
Tells = Callable[..., list[str]]

TABLE: Table = json.loads((Path(__file__).parent / "canaries.json").read_text("utf-8"))
SECRET = (
    "password in an address",
    "token in an address",
    "password in a setting",
    "key in a setting",
    "token of a hub",
    "token of a cloud",
    "bearer",
    "private key",
    "webhook",
)
"""Kinds that leave every field; the others leave all but those that hold terms."""
NAMES = tuple(kind for kind in TABLE if kind not in {*SECRET, "project"})
"""Of people and places; names of projects go from what is for the public alone."""
_MOST = 2
"""Members of each list."""


@pytest.fixture
def who() -> UserIdentity:
    """Whose machine it is."""
    return UserIdentity(
        users=("zephyrine",),
        hosts=("quokkabox.lab.example.org",),
        homes=("/gpfs/hq/zephyrine",),
    )


@pytest.fixture(scope="session")
def planted() -> Callable[[int], tuple[dict[str, Any], set[str]]]:
    """
    Facts in which every text is a canary, and what must not be seen of them.

    Over twenty rounds every field meets every kind.
    """

    def plant(number: int) -> tuple[dict[str, Any], set[str]]:
        turns = itertools.count(number)
        seen: set[str] = set()

        def text(field: str) -> str:
            turn = next(turns)
            kinds = SECRET if field in PUBLIC_FIELDS else tuple(TABLE)
            row = TABLE[kinds[turn % len(kinds)]]
            said, secret = row[turn // len(kinds) % len(row)]
            seen.add(secret)
            return said

        known = {kind.section: _filled(kind, "", text) for kind in FACT_KINDS}
        return {"known": known, "unknown": {"log": text("")}}, seen

    return plant


def _filled(  # noqa: PLR0911  (one for each kind of type)
    kind: Any, field: str, text: Callable[[str], str]
) -> Any:
    """A value of this type, full of what `text` gives for its fields."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is str:
        return text(field)
    if isinstance(origin, type) and issubclass(origin, msgspec.Struct):  # of any kind
        kind = origin
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return {
            f.encode_name: _filled(f.type, f.encode_name, text)
            for f in msgspec.structs.fields(kind)
        }
    if origin is Literal:
        return arguments[0]
    if origin is tuple:
        members = [a for a in arguments if a is not ...]
        if arguments[-1] is ...:
            members *= _MOST
        return [_filled(member, field, text) for member in members]
    if origin is dict:
        return {f"k{n}": _filled(arguments[1], field, text) for n in range(_MOST)}
    if arguments:  # a union: its longest member, so a text before nothing
        return _filled(_richest(arguments), field, text)
    return {int: 7, float: 0.5, bool: True, type(None): None}[kind]


def _richest(arguments: tuple[Any, ...]) -> Any:
    return next((a for a in _by_wealth(arguments)), None)


def _by_wealth(arguments: tuple[Any, ...]) -> Iterator[Any]:
    yield from (a for a in arguments if isinstance(a, type) and issubclass(a, msgspec.Struct))
    yield from (a for a in arguments if get_origin(a) is not None)
    yield from (a for a in (str, float, int, bool) if a in arguments)


@pytest.fixture(scope="session")
def table() -> dict[str, list[tuple[str, str]]]:
    return TABLE


CODE = """
import torch
from torch.utils.data import DataLoader, Dataset

{notes}


class Items(Dataset):
    def __getitem__(self, index):
        print("{said}")
        return torch.load("/home/ottokar/x/%d" % index, "hf_AbCdEfGhIjKlMnOpQrSt")


loader = DataLoader(Items(), batch_size=4, num_workers=64)
for batch in loader:
    batch.cuda(non_blocking=True)
"""


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory, table: Table) -> Path:
    """What collectors come by: a home, an environment, a project, a dataset, a log."""
    lines = [told.replace("\n", " ") for row in table.values() for told, _ in row]
    home = tmp_path_factory.mktemp("world") / "home" / "zephyrine"
    project = home / "moonshot"
    (project / ".git").mkdir(parents=True)
    remote = "url = https://zephyrine:hunter2pw@github.com/moonshot/x.git"
    (project / ".git" / "config").write_text(f'[remote "origin"]\n{remote}\n')
    notes = "\n".join(f"# {line}" for line in lines)
    said = lines[3].replace('"', "'")
    (project / "train.py").write_text(CODE.format(notes=notes, said=said))
    pins = "\n".join(f"# {line}" for line in lines)
    index = "--extra-index-url https://zephyrine:hunter2pw@packages.wombat-corp.com/x"
    direct = "private @ https://9f8e7d6c5b4a@github.com/moonshot/private.git"
    (project / "requirements.txt").write_text(f"{pins}\n{index}\n{direct}\nnumpy\n")
    (home / "data").mkdir()
    for number, line in enumerate(lines[:20]):
        name = line.replace("/", "_")[:60]
        (home / "data" / f"{number}_{name}.jpg").write_bytes(b"x" * 64)
    first = 'Traceback (most recent call last):\n  File "/home/zephyrine/x.py", line 3'
    token = "hf_AbCdEfGhIjKlMnOpQrSt"
    died = "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Bus error."
    last = f"{died} token {token} of zephyrine on quokkabox"
    log = "\n".join([first, f'    login("{token}")', *lines, last])
    (project / "job.log").write_text(log)
    _environment(home / "env", lines)
    return project


def _environment(prefix: Path, lines: list[str]) -> None:
    """An environment that pip and conda were told secrets about."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    (site,) = prefix.glob("lib/python3*/site-packages")
    (site / "x.pth").write_text("\n".join(f"# {line}" for line in lines) + "\n/home/ottokar/code\n")
    metadata = site / "moonlib-1.0.dist-info"
    metadata.mkdir()
    author = "Author-email: Ottokar <ottokar@wombat.example>\n"
    head = f"Metadata-Version: 2.1\nName: moonlib\nVersion: 1.0\n{author}"
    requires = "Requires-Dist: nowhere @ https://bob:hunter2pw@x.wombat-corp.com/y.whl\n"
    (metadata / "METADATA").write_text(head + requires + "Requires-Dist: lacking>=3\n")
    url = {
        "url": "https://bob:hunter2pw@github.com/moonshot/x",
        "vcs_info": {"vcs": "git"},
    }
    (metadata / "direct_url.json").write_text(json.dumps(url))
    (metadata / "INSTALLER").write_text("pip of zephyrine hf_AbCdEfGhIjKlMnOpQrSt")
    meta = prefix / "conda-meta"
    meta.mkdir()
    channel = "https://conda.example.org/t/tk-9f8e7d6c5b4a-abcd/moonchannel/linux-64"
    record = {"channel": channel, "url": f"{channel}/numpy-1.26.4-py311_0.conda"}
    (meta / "numpy-1.26.4-py311_0.json").write_text(json.dumps(record))
    (meta / "history").write_text(f"# cmd: conda install -c {channel} numpy\n")
    (meta / "pinned").write_text("numpy hf_AbCdEfGhIjKlMnOpQrSt\n")


@pytest.fixture(scope="session")
def start(world: Path, table: Table) -> Start:
    home = world.parent
    told = {
        f"CANARY_{number}": said.replace("\n", " ")
        for number, (said, _) in enumerate(pair for row in table.values() for pair in row)
    }
    environ = (
        os.environ
        | told
        | {
            "HOME": str(home),
            "USER": "zephyrine",
            "LOGNAME": "zephyrine",
            "HOSTNAME": "quokkabox",
            "XDG_STATE_HOME": str(home / "state"),
            "HF_HOME": str(home / "cache" / "quokkabox"),
            "TORCH_HOME": "/home/ottokar/torch",
            "TMPDIR": str(home / "data"),
            "PYTHONPATH": f"/home/ottokar/moonshot:{home}/moonshot",
            "LD_LIBRARY_PATH": "/home/ottokar/lib:/srv/moonshot/lib",
            "HF_TOKEN": "hf_AbCdEfGhIjKlMnOpQrSt",
            "WANDB_API_KEY": "AbCdEfGhIjKl",
            "PIP_INDEX_URL": "https://zephyrine:hunter2pw@packages.wombat-corp.com/x",
            "AWS_SECRET_ACCESS_KEY": "AbCdEfGhIjKl",
            "CUDA_VISIBLE_DEVICES": "GPU-8f3ac1b2-1111-2222-3333-444455556666",
            "PYTORCH_CUDA_ALLOC_CONF": "hf_AbCdEfGhIjKlMnOpQrSt",
            "OMP_NUM_THREADS": "zephyrine",
        }
    )

    def start(*args: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [sys.executable, "-m", "pipedoctor", *args],
            check=False,
            cwd=world,
            env=environ,
            capture_output=True,
            timeout=60,
        )

    return start


@pytest.fixture
def tells(table: Table) -> Tells:
    """What a file tells of the canaries of these kinds, each with what is before it."""

    def tells(file: bytes, *kinds: str) -> list[str]:
        whole = unescaped(file)
        secrets = {secret for kind in kinds for _, secret in table[kind]}
        found = ((secret, whole.find(secret)) for secret in sorted(secrets))
        return [f"{whole[max(0, at - 60) : at]}>{s}" for s, at in found if at >= 0]

    return tells


def unescaped(file: bytes) -> str:
    """What a reader sees: no escapes of JSON, HTML or Markdown between the letters."""
    whole = file.decode(errors="replace")
    for old, new in (("\\\\", "\\"), ("<!-- -->", ""), ("&colon;", ":"), ("\\_", "_")):
        whole = whole.replace(old, new)
    return whole
