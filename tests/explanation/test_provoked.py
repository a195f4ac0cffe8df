"""Causes made for real with the installed torch and Pillow, and what is said then."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("PIL")
pytestmark = pytest.mark.slow

SCRIPT = """
import io, sys, time, torch
from torch.utils.data import DataLoader, Dataset
from PIL import Image

mode = sys.argv[1]


class Data(Dataset):
    def __init__(self):
        self.pick = (lambda x: x) if mode == "lambda" else None

    def __len__(self):
        return 8

    def __getitem__(self, i):
        if mode == "none" and i == 3:
            return None
        if mode == "unequal":
            return torch.zeros(3, 224, 200 + i)
        if mode == "stuck":
            time.sleep(60)
        if mode == "corrupt":
            file = io.BytesIO()
            Image.effect_noise((64, 64), 9).save(file, "PNG")
            Image.open(io.BytesIO(file.getvalue()[:900])).load()
        if mode == "bomb":
            Image.MAX_IMAGE_PIXELS = 100
            file = io.BytesIO()
            Image.new("L", (64, 64)).save(file, "PNG")
            Image.open(io.BytesIO(file.getvalue()))
        if mode == "removed":
            Image.new("L", (4, 4)).resize((2, 2), Image.ANTIALIAS)
        if mode == "bug":
            return {"label": 1}["lable"]
        return torch.zeros(3)


def main():
    if mode == "checkpoint":
        file = io.BytesIO()
        torch.save({"w": torch.zeros(99)}, file)
        torch.load(io.BytesIO(file.getvalue()[:200]))
    if mode == "port":
        first = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True)
        torch.distributed.TCPStore("127.0.0.1", first.port, is_master=True)
    start = "spawn" if mode in ("lambda", "guard") else "fork"
    loader = DataLoader(
        Data(), batch_size=4, num_workers=1, multiprocessing_context=start,
        timeout=2 if mode == "stuck" else 0,
    )
    for batch in loader:
        pass


if mode == "guard" or __name__ == "__main__":
    main()
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT, "utf-8")
    return path


def log_of(script: Path, mode: str, environ: Mapping[str, str] = os.environ) -> str:
    """What the job prints while it dies."""
    done = subprocess.run(
        [sys.executable, str(script), mode],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environ,
        text=True,
        timeout=120,
    )
    assert done.returncode
    return done.stdout


def explain(log: str, environ: Mapping[str, str] = os.environ) -> Any:
    argv = [sys.executable, "-m", "pipedoctor", "explain", "--format", "json", "-"]
    done = subprocess.run(argv, check=False, capture_output=True, env=environ, input=log, text=True)
    return json.loads(done.stdout)


@pytest.mark.extended
@pytest.mark.parametrize(
    ("mode", "cause"),
    [
        ("none", "dataset_returns_none"),
        ("unequal", "collate_unequal_shapes"),
        ("stuck", "worker_stuck_in_transform"),
        ("corrupt", "corrupt_image_file"),
        ("bomb", "image_exceeds_pixel_limit"),
        ("removed", "pillow_api_removed"),
        ("checkpoint", "corrupt_download_or_checkpoint"),
        ("port", "master_port_in_use"),
        ("lambda", "unpicklable_object_spawn"),
        ("guard", "missing_main_guard"),
    ],
)
def test_a_cause_in_the_code_or_its_files(script: Path, mode: str, cause: str) -> None:
    said = explain(log_of(script, mode))

    assert said["causes"][0]["cause"] == cause
    assert not said["not_environment"]


def test_a_bug_of_ones_own(script: Path) -> None:
    said = explain(log_of(script, "bug"))

    assert said["causes"] == []
    assert said["not_environment"]
    assert (said["fault"]["path"], said["fault"]["kind"]) == (str(script), "KeyError")
    line = 1 + SCRIPT[: SCRIPT.index('{"label": 1}')].count("\n")
    assert said["fault"]["line"] == line


@pytest.mark.extended
def test_a_path_that_is_too_long_for_a_socket(script: Path) -> None:
    """Confirmed where TMPDIR is long, ruled out where it is not."""
    with tempfile.TemporaryDirectory(prefix="x" * 90) as folder:
        ill = {**os.environ, "TMPDIR": folder}
        keeps = SCRIPT.replace('"spawn" if mode', '"forkserver" if mode')
        script.write_text(keeps, "utf-8")
        log = log_of(script, "guard", ill)
        (first, *_) = explain(log, ill)["causes"]
    (other, *_) = explain(log, {**os.environ, "TMPDIR": "/tmp"})["causes"]

    assert (first["cause"], first["here"]) == ("tmpdir_path_too_long", "confirmed")
    assert (other["cause"], other["here"]) == ("tmpdir_path_too_long", "ruled-out")


FULL = """
set -e
mount -t tmpfs -o size=1m tmpfs "$TMPDIR"
if [ "$1" = job ]; then
    exec "$2" -c 'import os, torch
torch.save(torch.zeros(10**6), os.environ["TMPDIR"] + "/cache.pt")'
fi
head -c 1048576 /dev/zero >"$TMPDIR/full" 2>/dev/null || :
exec "$2" -m pipedoctor explain --format json "$3"
"""


@pytest.mark.extended
@pytest.mark.root
def test_a_full_disk(tmp_path: Path) -> None:
    """Confirmed where the temporary folder is full, ruled out where it is not."""
    folder, log = tmp_path / "tmp", tmp_path / "log"
    folder.mkdir()
    environ = {**os.environ, "TMPDIR": str(folder)}

    def there(what: str) -> str:
        argv = ["unshare", "-m", "sh", "-c", FULL, "sh", what, sys.executable, str(log)]
        done = subprocess.run(
            argv,
            check=False,
            stdout=subprocess.PIPE,
            stderr=None if what == "explain" else subprocess.STDOUT,
            env=environ,
            text=True,
        )
        return done.stdout

    log.write_text(there("job"), "utf-8")
    (first, *_) = json.loads(there("explain"))["causes"]
    (other, *_) = explain(log.read_text("utf-8"))["causes"]

    assert (first["cause"], first["here"]) == ("disk_full", "confirmed")
    assert (other["cause"], other["here"]) == ("disk_full", "ruled-out")
