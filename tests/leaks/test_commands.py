"""A home, an environment, a project and a log full of secrets; every command is run."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

Table = dict[str, list[tuple[str, str]]]
Start = Callable[..., "subprocess.CompletedProcess[bytes]"]

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
    """What collectors come by: a home, an environment, a project, a data set, a log."""
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
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True
    )
    (site,) = prefix.glob("lib/python3*/site-packages")
    (site / "x.pth").write_text(
        "\n".join(f"# {line}" for line in lines) + "\n/home/ottokar/code\n"
    )
    metadata = site / "moonlib-1.0.dist-info"
    metadata.mkdir()
    author = "Author-email: Ottokar <ottokar@wombat.example>\n"
    head = f"Metadata-Version: 2.1\nName: moonlib\nVersion: 1.0\n{author}"
    requires = (
        "Requires-Dist: nowhere @ https://bob:hunter2pw@x.wombat-corp.com/y.whl\n"
    )
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
        for number, (said, _) in enumerate(
            pair for row in table.values() for pair in row
        )
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


EXAMINED = ("--quick", "--env", "../env", "--data", "../data", "--workers", "64")
ALWAYS = (
    "zephyrine",
    "ottokar",
    "wilhelmina",
    "hunter2pw",
    "9f8e7d6c5b4a",
    "AbCdEfGhIj",
    "8f3ac1b2-1111",
)


def secrets_in(file: bytes, *more: str) -> list[str]:
    whole = file.decode(errors="replace").replace("<!-- -->", "")
    found = [whole.find(secret) for secret in (*ALWAYS, *more)]
    return [whole[max(0, at - 60) : at + 20] for at in found if at >= 0]


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif", "junit"])
def test_check(form: str, start: Start) -> None:
    done = start("check", *EXAMINED, "--format", form, ".")

    assert done.returncode in (0, 1), done.stderr
    assert secrets_in(done.stdout + done.stderr) == []


def test_report_and_what_it_keeps(start: Start, world: Path) -> None:
    done = start("report", *EXAMINED, "--all", "-o", "x.zip", ".")

    assert done.returncode == 0, done.stderr
    assert secrets_in(done.stdout + done.stderr) == []
    with zipfile.ZipFile(world / "x.zip") as archive:
        for name in archive.namelist():
            assert secrets_in(archive.read(name), "moonshot", "quokkabox") == [], name
    kept, *_ = (world.parent / "state/pipedoctor/reports").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_its_owner_reads_it(start: Start) -> None:
    start("report", *EXAMINED, "-o", "x.json", ".")

    real = start("report", "--unredact", "x.json").stdout.decode()

    assert "zephyrine" in real
    assert "/moonshot" in real
    assert "hunter2pw" not in real
    assert "hf_AbCd" not in real


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_explain(form: str, start: Start) -> None:
    done = start("explain", "job.log", "--format", form)

    assert done.returncode == 1, done.stderr
    assert secrets_in(done.stdout + done.stderr) == []


def test_plan_of_a_fix(start: Start) -> None:
    done = start("fix", "--shm", "1G", "--dry-run")

    tokens = ("hunter2pw", "9f8e7d6c5b4a", "AbCdEfGhIj")
    whole = (done.stdout + done.stderr).decode()
    assert not [token for token in tokens if token in whole]


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_diff(form: str, start: Start, world: Path) -> None:
    start("check", *EXAMINED, "--no-redact", "--format", "json", "-o", "raw.json", ".")
    raw = (world / "raw.json").read_text("utf-8")
    other = raw.replace("zephyrine", "ottokar").replace("moonlib", "sunlib")
    (world / "other.json").write_text(other)

    done = start("diff", "raw.json", "other.json", "--format", form, "-v")

    assert done.returncode == 1, done.stderr
    assert secrets_in(done.stdout + done.stderr) == []
    assert b"sunlib" in done.stdout
